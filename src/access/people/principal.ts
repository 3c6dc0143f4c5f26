import type { Role } from './role.ts'
import type { SessionId } from './session.ts'
import type { TokenId } from './token.ts'
import type { Membership, UserId } from './user.ts'

/** Who makes a request of the admin API. */
export type Principal =
  /** Whoever holds the installation's admin token, or runs a command on the data folder: may do everything. */
  { readonly type: 'admin-token' } | UserPrincipal | ServicePrincipal

export interface UserPrincipal {
  readonly type: 'user'
  readonly id: UserId
  readonly name: string
  readonly role: Role
  readonly groups: readonly Membership[]
  readonly credential: UserCredential
}

export type UserCredential =
  | { readonly type: 'session'; readonly id: SessionId; readonly freshUntilMs: number }
  | { readonly type: 'token'; readonly id: TokenId; readonly scopes: readonly string[] }

export interface ServicePrincipal {
  readonly type: 'service'
  readonly tokenId: TokenId
  readonly name: string
  readonly role: Role
  readonly scopes: readonly string[]
}

/** As the audit names the one who did something. */
export function authorOf(principal: Principal): string {
  switch (principal.type) {
    case 'admin-token':
      return 'admin token'
    case 'user':
      return principal.name
    case 'service':
      return `token ${principal.name}`
  }
}

export function roleOf(principal: Principal): Role {
  return principal.type === 'admin-token' ? 'owner' : principal.role
}
