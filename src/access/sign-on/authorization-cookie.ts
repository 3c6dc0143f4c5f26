import { AUTHORIZATION_LIFE_MS } from '../people/authorization-request.ts'
import { digestOpaqueSecret } from '../people/opaque-secret.ts'
import { readCookie } from '../people/session-cookie.ts'

/** The characters of the digest of a state in a name. They tell the few sign-ins of one browser apart. */
const STATE_CHARACTERS = 16

/** The authorization request that a cookie belongs to. */
export interface CookieOwner {
  /** The `state` parameter of the request. */
  readonly state: string
  readonly isSecure: boolean
}

/**
 * Each request has its own cookie, so that a sign-in in one tab does not end those in others. The `__Host-` prefix has
 * the same reason as that of the session cookie.
 */
function cookieName({ state, isSecure }: CookieOwner): string {
  const name = isSecure ? '__Host-headgate-authorization' : 'headgate_authorization'
  return `${name}-${digestOpaqueSecret(state).slice(0, STATE_CHARACTERS)}`
}

/** `Lax`, since the provider's response is a navigation that comes from another site. */
const attributesOf = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

export function writeAuthorizationCookie(secret: string, owner: CookieOwner): string {
  return `${cookieName(owner)}=${secret}; ${attributesOf(owner.isSecure)}; Max-Age=${AUTHORIZATION_LIFE_MS / 1_000}`
}

export function clearAuthorizationCookie(owner: CookieOwner): string {
  return `${cookieName(owner)}=; ${attributesOf(owner.isSecure)}; Max-Age=0`
}

export function readAuthorizationCookie(header: string | undefined, owner: CookieOwner): string | undefined {
  return readCookie(header, cookieName(owner))
}
