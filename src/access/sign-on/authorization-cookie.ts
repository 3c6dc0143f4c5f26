import { AUTHORIZATION_LIFE_MS } from '../people/authorization-request.ts'
import { readCookie } from '../people/session-cookie.ts'

/** Named as the cookie of a session is, for the same reason. */
function cookieName(isSecure: boolean): string {
  return isSecure ? '__Host-headgate-authorization' : 'headgate_authorization'
}

/** `Lax`, since the provider's answer comes from another site, as a page that the browser goes to. */
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
