import type { ErrorCode } from '../../canonical/error-table.ts'
import type { Claims } from './read-claims.ts'
import type { OidcPolicy } from './sign-in-policy.ts'

export interface AuthorizationParameters {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
  /** Whether the person must show again who they are, however short ago they did. */
  readonly mustSignInAgain: boolean
}

export interface AuthorizationAnswer {
  /** The query of the request that the provider's answer came with. */
  readonly query: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
  /** The person must have signed in at the provider after this time, give or take its clock; undefined: at any time. */
  readonly signedInAfterMs: number | undefined
}

/** A person as an identity provider knows them; the two together name one person for good. */
export interface ProvenIdentity {
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}

/** Asks an OpenID Connect provider who a person is. It is asked for nothing before a person signs in. */
export interface IdentityProvider {
  /** The address to send the browser to. Fails with `IdentityProviderError`. */
  authorizationUrl(policy: OidcPolicy, parameters: AuthorizationParameters): Promise<URL>
  /** Exchanges the code and verifies the ID token. Fails with `IdentityProviderError`. */
  readAnswer(policy: OidcPolicy, answer: AuthorizationAnswer): Promise<ProvenIdentity>
  close(): Promise<void>
}

export type IdentityProviderFault = Extract<
  ErrorCode,
  | 'identity_provider_unavailable'
  | 'identity_provider_refused'
  | 'oidc_client_refused'
  | 'authorization_code_refused'
  | 'id_token_expired'
  | 'not_signed_in_again'
  | 'id_token_invalid'
>

export class IdentityProviderError extends Error {
  override readonly name = 'IdentityProviderError'
  readonly code: IdentityProviderFault

  /** `message` says what was seen; it holds no secret and nothing that the provider or a browser sent in full. */
  constructor(code: IdentityProviderFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}
