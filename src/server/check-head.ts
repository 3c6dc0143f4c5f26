import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../canonical/failure.ts'

/**
 * Headers on which all readers of a request must agree. If such a header is sent twice, one reader may use the first
 * and another the last.
 */
const onceOnly = [
  'host',
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'anthropic-version',
  'x-headgate-strict',
  'x-headgate-dry-run',
  'x-headgate-usage',
] as const

/**
 * Headers that change what happens to a request, and their values. Another value is refused, since a dry run that is
 * not recognized would call a provider.
 */
const switches = [
  ['x-headgate-strict', ['1', '0']],
  ['x-headgate-dry-run', ['1', '0']],
  ['x-headgate-usage', ['cost']],
] as const

/** Lists that may be sent in several headers, but only under their usual spelling. */
const listed = [
  'connection',
  'cookie',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'anthropic-beta',
  'openai-beta',
]

const bitOf: ReadonlyMap<string, number> = new Map(onceOnly.map((name, index) => [name, 1 << index]))
const meaningful: ReadonlySet<string> = new Set([...onceOnly, ...listed])

/** A registered name or an address, and a port (RFC 9112 §3.2). May be empty. */
const HOST = /^(?:[\w.~%-]*|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * Refuses heads that the HTTP parser accepts but that two readers may interpret differently. Throws
 * `malformed_request`, `expectation_failed`, or `invalid_field` for a header of Headgate's own.
 */
export function checkHead(message: IncomingMessage): void {
  checkNames(message.rawHeaders)
  checkTarget(message)
  const { httpVersion } = message
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    refuse('This gateway speaks HTTP/1.1 and HTTP/1.0 alone.')
  const { host, expect, 'transfer-encoding': coding } = message.headers
  if (host === undefined && httpVersion === '1.1') refuse('The header "Host" is missing.')
  if (host !== undefined && !HOST.test(host)) refuse('The header "Host" is not a host and a port.')
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    refuse('The header "transfer-encoding" may only say "chunked", and only under HTTP/1.1.')
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new GatewayError('expectation_failed')
  }
  for (const [name, values] of switches) checkSwitch(name, message.headers[name], values)
}

function checkSwitch(name: string, value: unknown, values: readonly string[]): void {
  if (value === undefined || values.some((known) => known === value)) return
  throw new GatewayError('invalid_field', {
    param: name,
    message: `The header "${name}" must be ${values.map((known) => `"${known}"`).join(' or ')}. Correct it, or leave it out.`,
  })
}

/** Whether the message announces a body after its head. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Asks for the body of a caller that sends it only after `100 Continue`; undefined for every other caller. A client of
 * HTTP/1.0 would take that for the answer (RFC 9110 §10.1.1).
 */
export function findAsk(
  { headers, httpVersion }: IncomingMessage,
  response: ServerResponse,
): (() => void) | undefined {
  if (headers.expect === undefined || httpVersion === '1.0') return undefined
  return () => response.writeContinue()
}

function checkNames(rawHeaders: readonly string[]): void {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const bit = bitOf.get(name)
    if (bit !== undefined) {
      if ((seen & bit) !== 0) refuse(`The header "${name}" was sent twice. Send it once.`)
      seen |= bit
    } else if (name.includes('_') && meaningful.has(name.replaceAll('_', '-'))) {
      refuse(`The header "${name}" must be written "${name.replaceAll('_', '-')}".`)
    }
  }
}

function checkTarget({ url = '', method }: IncomingMessage): void {
  if (url.includes('#')) refuse('The path must not hold a "#".')
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return
  refuse('The request is for another host than its header "Host" says. Send the path alone.')
}

function refuse(message: string): never {
  throw new GatewayError('malformed_request', { message })
}

/** The charsets that are UTF-8 or a subset of it. */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Refuses a body that is compressed, or that is not in UTF-8. Throws `unsupported_media_type`. */
export function checkEncoding(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']?.toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') throw new GatewayError('unsupported_media_type')
  // A shortcut: nearly every client sends exactly this.
  if (headers['content-type'] === 'application/json') return
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !CHARSETS.has(charset.toLowerCase())) {
    throw new GatewayError('unsupported_media_type', {
      message:
        'The body must be sent in UTF-8, as JSON is everywhere; the content type names another character set.',
    })
  }
}

/** Refuses a body that is not sent as JSON. Throws `unsupported_media_type`. */
export function checkMediaType({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? ''
  // A shortcut: nearly every client sends exactly this.
  if (type === 'application/json') return
  const [essence = ''] = type.split(';', 1)
  if (essence.trim().toLowerCase() === 'application/json') return
  const logCause = type === '' ? 'no content type was sent' : `the content type is "${essence}"`
  throw new GatewayError('unsupported_media_type', { logCause })
}
