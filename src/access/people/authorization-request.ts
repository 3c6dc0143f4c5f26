import { hash } from 'node:crypto'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { LinkId } from './link.ts'
import { digestOpaqueSecret, makeOpaqueSecret, type SecretDigest } from './opaque-secret.ts'
import type { SessionId } from './session.ts'
import type { UserId } from './user.ts'

/** The reason why a browser is sent to the identity provider. */
export type AuthorizationPurpose =
  | { readonly type: 'sign-in' }
  /** Accepts a link: the person becomes its user. */
  | { readonly type: 'accept'; readonly linkId: LinkId }
  /** Links the identity to the user of a session. */
  | { readonly type: 'join'; readonly sessionId: SessionId; readonly userId: UserId }
  /** Confirms that the person is still the user of the session. */
  | { readonly type: 'reauthenticate'; readonly sessionId: SessionId; readonly userId: UserId }

/**
 * An authorization request that waits for the provider's response (RFC 6749 §4.1.1). It is valid once, and only in
 * the browser that started it. It holds no secret: nonce and code verifier are derived from the browser's cookie.
 */
export interface SignOnRequest {
  /** The digest of the `state` parameter, which identifies the request in the provider's response. */
  readonly stateDigest: SecretDigest
  /** The digest of the secret in the browser's cookie. */
  readonly browserDigest: SecretDigest
  readonly purpose: AuthorizationPurpose
  /** The redirect URI. The exchange of the code repeats it. */
  readonly redirectUri: string
  /** The console page to open afterwards, relative to the console's root. Empty for the first page. */
  readonly returnTo: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/** The time that a person has to sign in at the provider. */
export const AUTHORIZATION_LIFE_MS = 10 * MINUTE_MS

export interface AuthorizationOrder {
  readonly purpose: AuthorizationPurpose
  readonly redirectUri: string
  readonly returnTo: string
}

export interface MadeAuthorization {
  readonly request: SignOnRequest
  readonly state: string
  /** The secret for the browser's cookie. */
  readonly browserSecret: string
}

export function makeAuthorization(
  order: AuthorizationOrder,
  { clock, random }: { readonly clock: Pick<Clock, 'nowMs'>; readonly random: Random },
): MadeAuthorization {
  const [state, browserSecret] = [makeOpaqueSecret(random), makeOpaqueSecret(random)]
  const createdAtMs = clock.nowMs()
  const request = {
    ...order,
    stateDigest: digestOpaqueSecret(state),
    browserDigest: digestOpaqueSecret(browserSecret),
    createdAtMs,
    expiresAtMs: createdAtMs + AUTHORIZATION_LIFE_MS,
  }
  return { request, state, browserSecret }
}

/**
 * The nonce is a hash of a secret in a cookie that no script can read, as OpenID Connect Core 1.0 §15.5.2 describes.
 * An ID token for another browser is refused.
 */
export function nonceOf(browserSecret: string): string {
  return hash('sha256', `headgate nonce ${browserSecret}`, 'base64url')
}

/** The code verifier of PKCE (RFC 7636 §4.1): 43 characters that encode 256 bits. */
export function codeVerifierOf(browserSecret: string): string {
  return hash('sha256', `headgate code verifier ${browserSecret}`, 'base64url')
}
