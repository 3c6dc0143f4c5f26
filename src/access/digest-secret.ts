import { createHmac, hash, type KeyObject } from 'node:crypto'
import { brand } from '../kit/brand.ts'
import type { KeyDigest } from './key.ts'

/** The form in which a secret is stored and found. `pepper` is the installation's own and stored apart. */
export function digestSecret(secret: string, pepper: KeyObject): KeyDigest {
  return digestSecretHash(hashSecret(secret), pepper)
}

/** The same for a secret of which only the SHA-256 is known, as 64 hex digits: keys of other gateways. */
export function digestSecretHash(sha256Hex: string, pepper: KeyObject): KeyDigest {
  const digest = createHmac('sha256', pepper).update(Buffer.from(sha256Hex, 'hex')).digest('hex')
  return brand<KeyDigest>(digest)
}

/** SHA-256 in hex. The one-shot call makes no hash object. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}
