import { SESSION_LIFE_MS } from './session.ts'

/**
 * The name of the session cookie. A browser accepts a `__Host-` cookie only over TLS and only for this host (RFC
 * 6265bis §4.1.3.2), so neither a sibling host nor an attacker on the network can plant one. Plain HTTP has no such
 * protection.
 */
export function sessionCookieName(isSecure: boolean): string {
  return isSecure ? '__Host-headgate' : 'headgate_session'
}

const attributesOf = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

export function writeSessionCookie(secret: string, isSecure: boolean): string {
  const maxAge = SESSION_LIFE_MS / 1_000
  return `${sessionCookieName(isSecure)}=${secret}; ${attributesOf(isSecure)}; Max-Age=${maxAge}`
}

export function clearSessionCookie(isSecure: boolean): string {
  return `${sessionCookieName(isSecure)}=; ${attributesOf(isSecure)}; Max-Age=0`
}

/** The session's secret. */
export function readSessionCookie(header: string | undefined, isSecure: boolean): string | undefined {
  return readCookie(header, sessionCookieName(isSecure))
}

/** The value of a cookie. Undefined if the cookie is absent, or present twice: one of the two was then planted. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  const start = `${name}=`
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
  const [value] = values
  return values.length === 1 && value !== '' ? value : undefined
}
