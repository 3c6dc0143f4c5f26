import { crc32 } from 'node:zlib'
import type { Random } from '../kit/random/random.ts'

export const secretPrefix = 'sk-hg-'
const RANDOM_BYTES = 32
const BODY_LENGTH = 43
const CHECKSUM_LENGTH = 6
const HINT_LENGTH = secretPrefix.length + 4

/**
 * A new caller's secret: `sk-hg-`, 43 base64url characters of 32 random bytes, and 6 of their CRC-32. The checksum
 * tells a mistyped or cut-off key apart without looking it up; it protects nothing.
 */
export function makeSecret(random: Random): string {
  return makeChecked(secretPrefix, random)
}

/** The same with another prefix. */
export function makeChecked(prefix: string, random: Random): string {
  const body = random.bytes(RANDOM_BYTES).toString('base64url')
  return `${prefix}${body}${checksum(body)}`
}

/**
 * Whether a text is a whole secret of ours. Keys that an operator chose need not be, even where they share the prefix.
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

/** The part of a secret that may be shown, to tell keys apart. */
export function hintOf(secret: string): string {
  return secret.slice(0, HINT_LENGTH)
}

function checksum(body: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(body))
  return bytes.toString('base64url')
}
