import { AUTHORIZATION_LIFE_MS } from '../people/authorization-request.ts'
import { readCookie } from '../people/session-cookie.ts'

/** The `__Host-` prefix has the same reason as that of the session cookie. */
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-headgate-authorization' : 'headgate_authorization'
}

/** `Lax`, since the provider's response is a navigation that comes from another site. */
const attributesOf = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

export function writeAuthorizationCookie(secret: string, isSecure: boolean): string {
  return `${cookieName(isSecure)}=${secret}; ${attributesOf(isSecure)}; Max-Age=${AUTHORIZATION_LIFE_MS / 1_000}`
}

export function clearAuthorizationCookie(isSecure: boolean): string {
  return `${cookieName(isSecure)}=; ${attributesOf(isSecure)}; Max-Age=0`
}

export function readAuthorizationCookie(header: string | undefined, isSecure: boolean): string | undefined {
  return readCookie(header, cookieName(isSecure))
}
