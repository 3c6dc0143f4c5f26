import { GatewayError } from '../../canonical/failure.ts'
import { tryDecodeUri } from '../../kit/bytes/try-decode-uri.ts'

const MAX_SEGMENTS = 64

/**
 * The segments of a path below `/passthrough/{channel}`, decoded once. What two servers may understand differently is
 * refused: empty and dotted segments, escaped slashes, escapes of escapes, control characters. Throws `GatewayError`.
 */
export function readSegments(rawPath: string): readonly string[] {
  const segments = rawPath.split('/').map(readSegment)
  if (segments.length > MAX_SEGMENTS) throw unsafePath()
  return segments
}

/** Slashes of any kind, escapes that are left, and what no name has. */
const UNSAFE = /[/\\%?#;\p{C}]/u

function readSegment(raw: string): string {
  const segment = tryDecodeUri(raw)
  if (segment === undefined || segment === '' || UNSAFE.test(segment)) throw unsafePath()
  if (/^\.{1,2}$/.test(segment)) throw unsafePath()
  return segment
}

/** The path of decoded segments, each written in one way. */
export function writeSegments(segments: readonly string[]): string {
  return segments.map((segment) => `/${writeSegment(segment)}`).join('')
}

/** Characters that a segment may hold as they are, beside those that `encodeURIComponent` leaves (RFC 3986 §3.3). */
const plain: Readonly<Record<string, string>> = { '%3A': ':', '%40': '@', '%24': '$', '%2C': ',', '%3D': '=' }

function writeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/%(?:3A|40|24|2C|3D)/g, (code) => plain[code] ?? code)
}

/** Parameters by which a caller could show a credential, or ask a server for another method. */
const refusedParameters: ReadonlySet<string> = new Set([
  'key',
  'api_key',
  'api-key',
  'apikey',
  'access_token',
  'oauth_token',
  'token',
  '_method',
  '$httpmethod',
])

/** The query that goes on, with its question mark; empty without one. Throws `GatewayError`. */
export function readQuery(query: string): string {
  if (/[^\x21-\x7e]/.test(query)) throw unsafePath()
  const left = query.split('&').filter((pair) => pair !== '' && !isRefused(pair))
  return left.length === 0 ? '' : `?${left.join('&')}`
}

function isRefused(pair: string): boolean {
  const [name = ''] = pair.split('=', 1)
  const decoded = tryDecodeUri(name.replaceAll('+', ' '))
  return decoded === undefined || refusedParameters.has(decoded.trim().toLowerCase())
}

function unsafePath(): GatewayError {
  return new GatewayError('malformed_request', {
    message:
      'The path under /passthrough holds what servers read in different ways: an empty segment, "." or "..", an escaped slash, percent sign, semicolon or control character. Write it plainly.',
  })
}
