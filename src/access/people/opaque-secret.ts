import { hash } from 'node:crypto'
import { type Branded, brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'

/** SHA-256 in hex of the secret of a session, token or link. The secret is stored in no other form. */
export type SecretDigest = Branded<string, 'SecretDigest'>

const SECRET_BYTES = 32

/** A secret of 256 random bits. It cannot be guessed, so its digest needs neither a salt nor a slow hash. */
export function makeOpaqueSecret(random: Random): string {
  return random.bytes(SECRET_BYTES).toString('base64url')
}

export function digestOpaqueSecret(secret: string): SecretDigest {
  return brand<SecretDigest>(hash('sha256', secret, 'hex'))
}
