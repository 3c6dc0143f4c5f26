import { type Branded, brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { isWholeChecked, makeChecked } from '../make-secret.ts'
import { digestOpaqueSecret, type SecretDigest } from './opaque-secret.ts'
import type { Role } from './role.ts'
import type { Scope } from './scope.ts'
import type { UserId } from './user.ts'

export type TokenId = Branded<string, 'TokenId'>

export type TokenOwner =
  /** Acts for a user, and may do at any time only what the user may do then. */
  | { readonly type: 'user'; readonly userId: UserId }
  /** Acts for a program, and remains valid after its creator is deleted. */
  | { readonly type: 'service'; readonly role: Role }

/** A credential with which a script uses the admin API. */
export interface Token {
  readonly id: TokenId
  readonly digest: SecretDigest
  /** The first characters of the secret, to distinguish tokens. */
  readonly hint: string
  readonly name: string
  readonly owner: TokenOwner
  readonly scopes: readonly Scope[]
  readonly createdAtMs: number
  readonly createdBy: string
  readonly expiresAtMs: number | undefined
  /** The time of the last use, to the minute. */
  readonly lastUsedAtMs: number | undefined
}

export const tokenPrefix = 'hgt_'
const HINT_LENGTH = tokenPrefix.length + 4

export interface TokenOrder {
  readonly name: string
  readonly owner: TokenOwner
  readonly scopes: readonly Scope[]
  readonly expiresAtMs: number | undefined
  readonly createdBy: string
}

export function makeToken(
  order: TokenOrder,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): { readonly token: Token; readonly secret: string } {
  const secret = makeChecked(tokenPrefix, random)
  const token = {
    ...order,
    id: brand<TokenId>(`tok_${random.bytes(12).toString('hex')}`),
    digest: digestOpaqueSecret(secret),
    hint: secret.slice(0, HINT_LENGTH),
    createdAtMs: clock.nowMs(),
    lastUsedAtMs: undefined,
  }
  return { token, secret }
}

/** Whether a text has the complete form of a token. Other texts need no look-up in the store. */
export function isWholeToken(text: string): boolean {
  return isWholeChecked(tokenPrefix, text)
}

export function isLiveToken({ expiresAtMs }: Pick<Token, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs === undefined || nowMs < expiresAtMs
}
