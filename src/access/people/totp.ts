import { createHash, createHmac } from 'node:crypto'
import type { Random } from '../../kit/random/random.ts'

// Codes of authenticator apps: RFC 6238 with SHA-1, 6 digits and 30 seconds, which every app understands.

const STEP_SECONDS = 30
const DIGITS = 6
/** The number of time steps that a phone's clock may be ahead or behind (RFC 6238 §5.2). */
const MAX_CLOCK_STEPS = 1
/** The secret is as long as the digest, as RFC 4226 §4 recommends. */
const SECRET_BYTES = 20

export function makeTotpSecret(random: Random): Buffer {
  return random.bytes(SECRET_BYTES)
}

/** The code of a time step (RFC 4226 §5.3). */
export function writeTotpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0x0f
  const value = (digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** digits
  return String(value).padStart(digits, '0')
}

export function totpStepAt(atMs: number): number {
  return Math.floor(atMs / 1_000 / STEP_SECONDS)
}

export interface TotpCheck {
  readonly secret: Uint8Array
  readonly code: string
  readonly nowMs: number
  /** The time step of the last code that was accepted. */
  readonly lastStep: number
}

/** The time step of the code. Undefined if the code is wrong, too old or already used. */
export function findTotpStep({ secret, code, nowMs, lastStep }: TotpCheck): number | undefined {
  const now = totpStepAt(nowMs)
  for (let step = now - MAX_CLOCK_STEPS; step <= now + MAX_CLOCK_STEPS; step += 1)
    if (step > lastStep && writeTotpCode(secret, step) === code) return step
  return undefined
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Writes Base32 (RFC 4648 §6) in lower case and without padding. */
export function writeBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xf_ff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32.charAt((value >> bits) & 31)
    }
  }
  return bits === 0 ? text : text + BASE32.charAt((value << (5 - bits)) & 31)
}

/** The URI that an authenticator app reads from a QR code. */
export function writeTotpUri(secret: Uint8Array, userName: string): string {
  const label = `Headgate:${encodeURIComponent(userName)}`
  return `otpauth://totp/${label}?secret=${writeBase32(secret).toUpperCase()}&issuer=Headgate`
}

const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

/** Makes recovery codes. Each lets the user sign in once without the phone. */
export function makeRecoveryCodes(random: Random): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (writeBase32(random.bytes(RECOVERY_BYTES)).match(/.{4}/g) ?? []).join('-'),
  )
}

/**
 * The digest of a recovery code, the only form in which the code is stored. With 80 random bits it needs no slow
 * hash.
 */
export function digestRecoveryCode(code: string): string {
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest('hex')
}
