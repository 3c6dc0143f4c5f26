import type { OwnedBy } from '../../canonical/owned-by.ts'
import type { Role } from './role.ts'
import type { Scope } from './scope.ts'
import type { SessionId } from './session.ts'
import type { TokenId } from './token.ts'
import type { Membership, UserId } from './user.ts'

/** The step that a session lacks before it may do anything: entering a code, or setting up a second factor. */
export type MissingFactor = 'code' | 'enrolment'

/** The credential that a user presents: a browser session, or a token of the user's own. */
export type UserCredential =
  /** Dangerous operations need no new password until `freshUntilMs`. */
  | {
      readonly type: 'session'
      readonly id: SessionId
      readonly freshUntilMs: number
      readonly missingFactor?: MissingFactor | undefined
    }
  | {
      readonly type: 'token'
      readonly id: TokenId
      readonly name: string
      readonly scopes: readonly Scope[]
    }

export interface UserPrincipal {
  readonly type: 'user'
  readonly id: UserId
  readonly name: string
  readonly role: Role
  readonly groups: readonly Membership[]
  readonly credential: UserCredential
}

export interface ServicePrincipal {
  readonly type: 'service'
  readonly id: TokenId
  /** The name of the token. */
  readonly name: string
  readonly role: Role
  readonly scopes: readonly Scope[]
}

/** The sender of an admin API request. The admin token may do everything, so that nobody can be locked out. */
export type Principal = { readonly type: 'admin-token' } | UserPrincipal | ServicePrincipal

/** The keys, users and groups that a user may see and change. */
export type Reach =
  | { readonly type: 'all' }
  /** The objects of one user, and those of the groups that the user manages. */
  | {
      readonly type: 'own'
      readonly user: string
      readonly groups: readonly string[]
      readonly managedGroups: readonly string[]
    }

export type OwnReach = Extract<Reach, { readonly type: 'own' }>

const everything: Reach = { type: 'all' }

/** Members reach only their own objects. All other principals reach every object. */
export function reachOf(principal: Principal): Reach {
  if (principal.type !== 'user' || principal.role !== 'member') return everything
  const { name, groups } = principal
  return {
    type: 'own',
    user: name,
    groups: groups.map(({ group }) => group),
    managedGroups: groups.filter(({ manager }) => manager).map(({ group }) => group),
  }
}

/** The filter that limits a query to the objects that a user may see. Undefined if the user may see all of them. */
export function ownedByOf(reach: Reach): OwnedBy | undefined {
  return reach.type === 'all' ? undefined : { user: reach.user, groups: reach.managedGroups }
}

/** The name that the audit log and lists show for the principal. */
export function authorOf(principal: Principal): string {
  switch (principal.type) {
    case 'admin-token':
      return 'admin token'
    case 'user':
      return principal.name
    case 'service':
      return `service ${principal.name}`
  }
}

/** The credential of the principal as the audit log shows it. */
export function credentialOf(principal: Principal): string {
  switch (principal.type) {
    case 'admin-token':
      return 'admin token'
    case 'user':
      return principal.credential.type === 'session' ? 'session' : `token "${principal.credential.name}"`
    case 'service':
      return `token "${principal.name}"`
  }
}
