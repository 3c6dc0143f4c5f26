import type { Role } from '../people/role.ts'
import type { Membership } from '../people/user.ts'

/** The permitted ways to sign in. */
export interface SignInPolicy {
  /**
   * Whether everybody may use a password. If false, only owners may, so that a provider outage cannot lock them out.
   */
  readonly password: boolean
  /** The roles whose users must have a second factor. */
  readonly secondFactorRoles: readonly Role[]
  /** Undefined if there is no identity provider. */
  readonly oidc: OidcPolicy | undefined
}

/** An OpenID Connect provider, and the decisions that its claims make. */
export interface OidcPolicy {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The provider's name on the sign-in button. Undefined for its host name. */
  readonly label: string | undefined
  readonly scopes: readonly string[]
  /** The claim that gives the name of a user who signs up. */
  readonly nameClaim: string
  /** Undefined if operators assign the roles. */
  readonly roleClaim: string | undefined
  /** Maps values of the claim to roles. Undefined if the values are roles themselves. */
  readonly roles: ReadonlyMap<string, Role> | undefined
  /**
   * The role of a user who signs up and whose claim names no role. Undefined if the claim must name a role. A user
   * whose claim no longer names one is then refused.
   */
  readonly defaultRole: Role | undefined
  /** Undefined if operators put users into groups. */
  readonly groupClaim: string | undefined
  /** Maps values of the claim to groups. Undefined if the values are names of groups. */
  readonly groups: ReadonlyMap<string, Membership> | undefined
  /** Email domains, in lower case. Users with a verified address there may sign up without an invitation. */
  readonly domains: readonly string[]
  /** Whether an address is trusted as verified even if the provider does not say so. */
  readonly trustsEmail: boolean
  /** Whether the provider alone is responsible for the second factor of users who sign in through it. */
  readonly trustsSecondFactor: boolean
  /** The lifetime of a session. The next sign-in reads the claims again. */
  readonly sessionMs: number
  /** The action on the keys of a user whom the provider refuses: `disable`, or `hand-over:<user>`. */
  readonly refusedKeys: string
  /** Whether the provider may be on this machine or a private network and use plain HTTP. */
  readonly allowPrivate: boolean
  readonly proxy: string | undefined
}

export const passwordsOnly: SignInPolicy = { password: true, secondFactorRoles: [], oidc: undefined }

/** The provider's name in the console and in messages. */
export function labelOfProvider({ label, issuer }: Pick<OidcPolicy, 'label' | 'issuer'>): string {
  return label ?? new URL(issuer).host
}
