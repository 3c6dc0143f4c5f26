import { hash } from 'node:crypto'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { LinkId } from './link.ts'
import { digestOpaqueSecret, makeOpaqueSecret, type SecretDigest } from './opaque-secret.ts'
import type { SessionId } from './session.ts'
import type { UserId } from './user.ts'

/** The purpose for which a browser is sent to the identity provider. */
export type AuthorizationPurpose =
  | { readonly type: 'sign-in' }
  /** Becomes the user of a link. */
  | { readonly type: 'accept'; readonly linkId: LinkId }
  /** Joins the identity to the user of a session. */
  | { readonly type: 'join'; readonly sessionId: SessionId; readonly userId: UserId }
  /** Shows once more that it is the user of a session. */
  | { readonly type: 'reauthenticate'; readonly sessionId: SessionId; readonly userId: UserId }

/**
 * An authorization request that waits for the provider's answer (RFC 6749 §4.1.1). It is valid once, and only in the
 * browser that it was made in. It holds no secret: nonce and code verifier follow from the browser's cookie.
 */
export interface SignOnRequest {
  /** The digest of the parameter `state`, by which the answer names the request. */
  readonly stateDigest: SecretDigest
  /** The digest of the secret in the browser's cookie. */
  readonly browserDigest: SecretDigest
  readonly purpose: AuthorizationPurpose
  /** The address that the provider answers to, which the exchange of the code repeats. */
  readonly redirectUri: string
  /** The page of the console that follows, below its root; empty for the first one. */
  readonly returnTo: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/** The time that a person has at the provider. */
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
 * The nonce is a hash of a secret in a cookie that no script can read, as OpenID Connect Core 1.0 §15.5.2 describes:
 * an ID token of another browser does not fit.
 */
export function nonceOf(browserSecret: string): string {
  return hash('sha256', `headgate nonce ${browserSecret}`, 'base64url')
}

/** The code verifier of PKCE (RFC 7636 §4.1): 43 characters of 256 bits. */
export function codeVerifierOf(browserSecret: string): string {
  return hash('sha256', `headgate code verifier ${browserSecret}`, 'base64url')
}
