import { GatewayError } from '../../canonical/failure.ts'
import { tryDecodeUri } from '../../kit/bytes/try-decode-uri.ts'

const MAX_SEGMENTS = 64

/**
 * The segments of a path below `/passthrough/{channel}`, decoded once. Segments that two servers may read differently
 * are refused: empty and dotted segments, escaped slashes, double escapes and control characters. Throws
 * `GatewayError`.
 */
export function readSegments(rawPath: string): readonly string[] {
  const segments = rawPath.split('/').map(readSegment)
  if (segments.length > MAX_SEGMENTS) throw unsafePath()
  return segments
}

/** Slashes of any kind, remaining escapes, and characters that no name has. */
const UNSAFE = /[/\\%?#;\p{C}]/u

function readSegment(raw: string): string {
  const segment = tryDecodeUri(raw)
  if (segment === undefined || segment === '' || UNSAFE.test(segment)) throw unsafePath()
  if (/^\.{1,2}$/.test(segment)) throw unsafePath()
  return segment
}

/** Writes decoded segments as a path. Each segment has only one spelling. */
export function writeSegments(segments: readonly string[]): string {
  return segments.map((segment) => `/${writeSegment(segment)}`).join('')
}

/**
 * Characters that a segment may contain unescaped, besides those that `encodeURIComponent` does not escape (RFC 3986
 * §3.3).
 */
const plain: Readonly<Record<string, string>> = { '%3A': ':', '%40': '@', '%24': '$', '%2C': ',', '%3D': '=' }

function writeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/%(?:3A|40|24|2C|3D)/g, (code) => plain[code] ?? code)
}

/** Parameters with which a caller could send a credential, or ask a server for another method. */
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

/** The query to pass on, with its question mark; empty if there is none. Throws `GatewayError`. */
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
