import { GatewayError } from '../../canonical/failure.ts'
import { type Branded, brand } from '../../kit/brand.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { PasswordHash } from './password.ts'
import type { Role } from './role.ts'

export type UserId = Branded<string, 'UserId'>

/** A group that a user is in. */
export interface Membership {
  readonly group: string
  /** Whether the user manages the group's keys and budgets. */
  readonly manager: boolean
}

/** A person who signs in, as it is stored. What a name may use stands in the configuration, under the same name. */
export interface User {
  readonly id: UserId
  /**
   * The user's name for good: keys, usage and the audit refer to it. No other user has it in any case,
   * deleted users included.
   */
  readonly name: string
  readonly role: Role
  readonly groups: readonly Membership[]
  readonly disabled: boolean
  /** Undefined where the user signs in through the identity provider alone. */
  readonly password: PasswordHash | undefined
  /** Undefined where none is linked. */
  readonly identity: LinkedIdentity | undefined
  /** Undefined where no second factor was set up. */
  readonly totp: UserTotp | undefined
  readonly createdAtMs: number
  /** The one who invited or created the user. */
  readonly createdBy: string
  readonly lastSignInAtMs: number | undefined
}

/** A user's name at an identity provider: issuer and subject are one person for good (OpenID Connect Core 1.0 §2). */
export interface ExternalIdentity {
  readonly issuer: string
  readonly subject: string
}

export interface LinkedIdentity extends ExternalIdentity {
  /** The address that the provider gave when the identity was linked, for operators to read. */
  readonly email: string | undefined
  readonly linkedAtMs: number
}

/** The second factor of a user. */
export type UserTotp =
  /** The user has not shown a first code yet; until then sign-in asks for none. */
  | { readonly type: 'pending'; readonly sealedSecret: string }
  | {
      readonly type: 'confirmed'
      /** The shared secret, sealed with the installation's own. */
      readonly sealedSecret: string
      /** The last time step of which a code was taken: no code counts twice. */
      readonly lastStep: number
    }

export interface UserOrder {
  readonly name: string
  readonly role: Role
  readonly groups: readonly Membership[]
  /** Undefined where the user signs in by the identity alone. */
  readonly password: PasswordHash | undefined
  readonly identity?: LinkedIdentity
  readonly createdBy: string
}

/** The names of authors in the audit who are no users, in the form in which names are compared. */
const otherAuthors: ReadonlySet<string> = new Set([
  'admin token',
  'command line',
  'configuration file',
  'first start',
  'signal sighup',
  'identity provider',
])

/** Fails with `invalid_field` where the audit uses the name for another actor. */
export function guardUserName(name: string): void {
  const folded = foldUserName(name)
  if (!otherAuthors.has(folded) && !folded.startsWith('service ')) return
  const message = `"${name}" is reserved: the audit uses it for something else. Choose another name.`
  const problems = [{ path: 'name', message, fact: { code: 'reserved_name', values: {} } }]
  throw new GatewayError('invalid_field', { param: 'name', message, problems })
}

/** Fails as `guardUserName` does. */
export function makeUser(order: UserOrder, maker: { readonly clock: Clock; readonly random: Random }): User {
  guardUserName(order.name)
  return {
    id: brand<UserId>(`usr_${maker.random.bytes(12).toString('hex')}`),
    name: order.name,
    role: order.role,
    groups: order.groups,
    disabled: false,
    password: order.password,
    identity: order.identity,
    totp: undefined,
    createdAtMs: maker.clock.nowMs(),
    createdBy: order.createdBy,
    lastSignInAtMs: undefined,
  }
}

/**
 * The common form of names that people take for one another: their case, and the form of their characters, are folded.
 */
export function foldUserName(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
