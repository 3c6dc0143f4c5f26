import { SESSION_LIFE_MS } from './session.ts'

/**
 * The name says where the cookie counts. With `__Host-` a browser accepts it over TLS alone and for this host alone
 * (RFC 6265bis §4.1.3.2), so no sibling host and nobody on the network can plant one; plain HTTP has no such name.
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

/** A cookie's value. Undefined where there is none, and where there are two, of which one was planted. */
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
