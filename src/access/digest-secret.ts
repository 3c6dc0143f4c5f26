import { createHmac, hash, type KeyObject } from 'node:crypto'
import { brand } from '../kit/brand.ts'
import type { KeyDigest } from './key.ts'

/**
 * The digest under which a secret is stored and looked up. Each installation has its own `pepper`, stored separately.
 */
export function digestSecret(secret: string, pepper: KeyObject): KeyDigest {
  return digestSecretHash(hashSecret(secret), pepper)
}

/** The same digest, made from the secret's SHA-256 as 64 hex digits. Keys imported from other gateways need it. */
export function digestSecretHash(sha256Hex: string, pepper: KeyObject): KeyDigest {
  const digest = createHmac('sha256', pepper).update(Buffer.from(sha256Hex, 'hex')).digest('hex')
  return brand<KeyDigest>(digest)
}

/** SHA-256 in hex. The one-shot call creates no hash object. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}
