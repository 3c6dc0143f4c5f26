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

/** A person who signs in, as stored. The budgets and rates of a user are in the configuration, under the same name. */
export interface User {
  readonly id: UserId
  /**
   * The user's permanent name, to which keys, usage and the audit log refer. It is unique regardless of case, and
   * names of deleted users stay reserved.
   */
  readonly name: string
  readonly role: Role
  readonly groups: readonly Membership[]
  readonly disabled: boolean
  /** Undefined if the user signs in only through the identity provider. */
  readonly password: PasswordHash | undefined
  /** Undefined if no identity is linked. */
  readonly identity: LinkedIdentity | undefined
  /** Undefined if no second factor is set up. */
  readonly totp: UserTotp | undefined
  readonly createdAtMs: number
  /** The author who invited or created the user. */
  readonly createdBy: string
  readonly lastSignInAtMs: number | undefined
}

/**
 * A user's identity at an identity provider. Issuer and subject together name one person permanently (OpenID Connect
 * Core 1.0 §2).
 */
export interface ExternalIdentity {
  readonly issuer: string
  readonly subject: string
}

export interface LinkedIdentity extends ExternalIdentity {
  /** The address that the provider gave when the identity was linked. Only operators read it. */
  readonly email: string | undefined
  readonly linkedAtMs: number
}

/** The second factor of a user. */
export type UserTotp =
  /** The user has not entered a first code yet. Until then sign-in asks for no code. */
  | { readonly type: 'pending'; readonly sealedSecret: string }
  | {
      readonly type: 'confirmed'
      /** The shared secret, encrypted with the installation's own secret. */
      readonly sealedSecret: string
      /** The time step of the last accepted code. No code is accepted twice. */
      readonly lastStep: number
    }

export interface UserOrder {
  readonly name: string
  readonly role: Role
  readonly groups: readonly Membership[]
  /** Undefined if the user signs in only by the identity. */
  readonly password: PasswordHash | undefined
  readonly identity?: LinkedIdentity
  readonly createdBy: string
}

/** The names of audit authors that are not users, folded as `foldUserName` returns them. */
const otherAuthors: ReadonlySet<string> = new Set([
  'admin token',
  'command line',
  'configuration file',
  'first start',
  'signal sighup',
  'identity provider',
])

/** Fails with `invalid_field` if the audit log uses the name for another actor. */
export function guardUserName(name: string): void {
  // A page shows several spaces as one.
  const folded = foldUserName(name).replaceAll(/ +/g, ' ')
  if (!otherAuthors.has(folded) && !folded.startsWith('service ')) return
  const message = `"${name}" is reserved: the audit uses it for something else. Choose another name.`
  const problems = [{ path: 'name', message, fact: { code: 'reserved_name', values: {} } }]
  throw new GatewayError('invalid_field', { param: 'name', message, problems })
}

/** Fails with `invalid_field` if the audit log uses the name for another actor. */
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

/** Folds case and Unicode forms, so that names that people would confuse compare as equal. */
export function foldUserName(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
