import type { ErrorCode } from '../../canonical/error-table.ts'
import type { Claims } from './read-claims.ts'
import type { OidcPolicy } from './sign-in-policy.ts'

export interface AuthorizationParameters {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
  /** Whether the person must sign in at the provider again, however recent the last sign-in is. */
  readonly mustSignInAgain: boolean
}

export interface AuthorizationAnswer {
  /** The query of the redirect that carries the provider's response. */
  readonly query: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  readonly redirectUri: string
  /** The earliest time of the sign-in at the provider, allowing for clock differences. Undefined for any time. */
  readonly signedInAfterMs: number | undefined
}

/** A person as an identity provider knows them. Issuer and subject together name one person permanently. */
export interface ProvenIdentity {
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}

/** An OpenID Connect provider that identifies people. Headgate sends no request to it before a person signs in. */
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

  /** `message` says what was found. It holds no secret, and no complete text that the provider or a browser sent. */
  constructor(code: IdentityProviderFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}
