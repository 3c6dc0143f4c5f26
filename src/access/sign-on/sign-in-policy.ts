import type { Role } from '../people/role.ts'
import type { Membership } from '../people/user.ts'

/** The ways to sign in. */
export interface SignInPolicy {
  /** Whether everybody may use a password; otherwise owners alone, whom a provider that is away must not lock out. */
  readonly password: boolean
  /** The roles whose users must have a second factor. */
  readonly secondFactorRoles: readonly Role[]
  /** Undefined where there is no identity provider. */
  readonly oidc: OidcPolicy | undefined
}

/** An OpenID Connect provider, and what its claims decide. */
export interface OidcPolicy {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The name of the provider on the button; undefined: its host. */
  readonly label: string | undefined
  readonly scopes: readonly string[]
  /** The claim that names a user who signs up. */
  readonly nameClaim: string
  /** Undefined where operators give the roles. */
  readonly roleClaim: string | undefined
  /** The roles by value of the claim; undefined: the values are roles. */
  readonly roles: ReadonlyMap<string, Role> | undefined
  /**
   * The role of a user who signs up and whose claim names none. Undefined: the claim must name one, and a user whose
   * claim names none any more is refused.
   */
  readonly defaultRole: Role | undefined
  /** Undefined where operators put users into groups. */
  readonly groupClaim: string | undefined
  /** The groups by value of the claim; undefined: the values are names of groups. */
  readonly groups: ReadonlyMap<string, Membership> | undefined
  /** Domains, in lower case, whose verified addresses may sign up without an invitation. */
  readonly domains: readonly string[]
  /** Whether an address is verified although the provider does not say so. */
  readonly trustsEmail: boolean
  /** Whether the second factor is the provider's matter for everybody who signs in by it. */
  readonly trustsSecondFactor: boolean
  /** The life of a session; with the next sign-in the claims are read again. */
  readonly sessionMs: number
  /** The fate of the keys of a user whom the provider refuses: `disable`, or `hand-over:<user>`. */
  readonly refusedKeys: string
  /** Whether the provider may be this machine or on a private network, and speak plain HTTP. */
  readonly allowPrivate: boolean
  readonly proxy: string | undefined
}

export const passwordsOnly: SignInPolicy = { password: true, secondFactorRoles: [], oidc: undefined }

/** The name of the provider in the console and in sentences. */
export function labelOfProvider({ label, issuer }: Pick<OidcPolicy, 'label' | 'issuer'>): string {
  return label ?? new URL(issuer).host
}
