import { hash } from 'node:crypto'
import { type Branded, brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'

/** SHA-256 in hex of a session's, a token's or a link's secret: the only form in which it is stored. */
export type SecretDigest = Branded<string, 'SecretDigest'>

const SECRET_BYTES = 32

/** 256 bits of chance: nobody guesses them, so their digest needs neither salt nor time. */
export function makeOpaqueSecret(random: Random): string {
  return random.bytes(SECRET_BYTES).toString('base64url')
}

export function digestOpaqueSecret(secret: string): SecretDigest {
  return brand<SecretDigest>(hash('sha256', secret, 'hex'))
}
