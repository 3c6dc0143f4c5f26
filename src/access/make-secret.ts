import { crc32 } from 'node:zlib'
import type { Random } from '../kit/random/random.ts'

export const secretPrefix = 'sk-hg-'
const RANDOM_BYTES = 32
const BODY_LENGTH = 43
const CHECKSUM_LENGTH = 6
const HINT_LENGTH = secretPrefix.length + 4

/**
 * A new caller's secret: `sk-hg-`, 43 base64url characters of 32 random bytes, and 6 characters of their CRC-32. The
 * checksum detects a mistyped or truncated key without a look-up. It adds no security.
 */
export function makeSecret(random: Random): string {
  return makeChecked(secretPrefix, random)
}

/** A new secret of the same form with another prefix. */
export function makeChecked(prefix: string, random: Random): string {
  const body = random.bytes(RANDOM_BYTES).toString('base64url')
  return `${prefix}${body}${checksum(body)}`
}

/**
 * Whether a text has the complete form of a secret that Headgate makes. A key that an operator chose may share the
 * prefix and still not have this form.
 */
export function isWholeSecret(text: string): boolean {
  return isWholeChecked(secretPrefix, text)
}

export function isWholeChecked(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + BODY_LENGTH + CHECKSUM_LENGTH) return false
  if (!text.startsWith(prefix)) return false
  const body = text.slice(prefix.length, -CHECKSUM_LENGTH)
  return text.endsWith(checksum(body))
}

/** The part of a secret that may be shown to distinguish keys. */
export function hintOf(secret: string): string {
  return secret.slice(0, HINT_LENGTH)
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(body))
  return bytes.toString('base64url')
}
