import type { Group } from '../../access/group.ts'
import type { Key } from '../../access/key.ts'
import type { PasswordHasher } from '../../access/people/password.ts'
import { authorOf, credentialOf, type Principal, type UserPrincipal } from '../../access/people/principal.ts'
import type { Role } from '../../access/people/role.ts'
import type { SignInThrottle } from '../../access/people/sign-in-throttle.ts'
import type { User } from '../../access/people/user.ts'
import type { PeopleStores } from '../../access/people/user-store.ts'
import type { IdentityProvider } from '../../access/sign-on/identity-provider.ts'
import type { SignInPolicy } from '../../access/sign-on/sign-in-policy.ts'
import type { Actor, AuditAction, AuditRecord } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { brand } from '../../kit/brand.ts'
import type { Sealer } from '../../kit/bytes/seal.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import type { KeyOperations } from '../keys/key-contract.ts'

/** The parts that the operations on people use. */
export interface PeopleContext {
  readonly stores: PeopleStores
  readonly hasher: PasswordHasher
  readonly throttle: SignInThrottle
  /** Encrypts the shared secrets of second factors. */
  readonly sealer: Sealer
  readonly clock: Clock
  readonly random: Random
  /** All keys, as they are in memory. */
  readonly keys: () => readonly Key[]
  readonly changeKey: KeyOperations['change']
  /** Undefined if the configuration is not known. */
  readonly groups: () => ReadonlyMap<string, Group> | undefined
  /** The sign-in policy in force. */
  readonly signIn: () => SignInPolicy
  readonly provider: IdentityProvider
  /** Records events that change nothing, such as a refusal. */
  readonly audit: Pick<AuditStore, 'append'>
  /** Called after a user becomes an owner. */
  readonly onOwner: () => void
}

/** The sender of the request. */
export interface Operator {
  readonly principal: Principal
  readonly actor: Actor
}

export function operatorOf(principal: Principal, address: string): Operator {
  return { principal, actor: { author: authorOf(principal), credential: credentialOf(principal), address } }
}

export function roleOf(principal: Principal): Role {
  return principal.type === 'admin-token' ? 'owner' : principal.role
}

interface Recorded {
  readonly action: AuditAction
  readonly subject: string
  readonly details: readonly string[]
}

export function recordOf(by: Actor, { clock }: Pick<PeopleContext, 'clock'>, what: Recorded): AuditRecord {
  return { ...by, ...what, atMs: clock.nowMs() }
}

/** Finds a user by ID, or by name ignoring case. */
export async function findUser({ stores }: Pick<PeopleContext, 'stores'>, reference: string): Promise<User> {
  const user =
    (await stores.users.find(brand<User['id']>(reference))) ?? (await stores.users.findByName(reference))
  if (user === undefined) throw new GatewayError('user_not_found')
  return user
}

/** Requires an owner for an operation that creates, changes or ends something of an owner. */
export function requireOwnerFor({ principal }: Operator, ...concerned: readonly (Role | undefined)[]): void {
  if (roleOf(principal) !== 'owner' && concerned.includes('owner')) throw new GatewayError('owner_required')
}

/** Whether the operator may see and end the sessions and tokens of others. */
export function isAdministrator({ principal }: Operator): boolean {
  return ['owner', 'admin'].includes(roleOf(principal))
}

/** Requires a signed-in user, for operations of people on themselves. The admin token and services are refused. */
function requireUser({ principal }: Operator): UserPrincipal {
  if (principal.type === 'user') return principal
  throw refuse('session_required', {
    message:
      'This is for a user who is signed in; the admin token and services have no password and no sessions.',
    fact: { code: 'only_for_users', values: {} },
  })
}

/** Requires a signed-in user with a browser session, as a token must not be enough to extend its own power. */
export function requireSession(by: Operator): UserPrincipal & {
  readonly credential: { readonly type: 'session' }
} {
  const user = requireUser(by)
  const { credential } = user
  if (credential.type === 'session') return { ...user, credential }
  throw new GatewayError('session_required')
}
