import type { IncomingMessage } from 'node:http'
import { GatewayError } from '../canonical/failure.ts'

/** Headers on which two readers must agree: sent twice, one may take the first and the other the last. */
const onceOnly = [
  'host',
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'anthropic-version',
  'x-headgate-strict',
] as const

/** Lists that may be sent in several headers, but whose meaning must not hide under another spelling. */
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
 * Refuses heads that HTTP's parser lets pass though two readers may understand them differently. Throws
 * `malformed_request`, or `expectation_failed`.
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
}

/** Whether the message says that a body follows its head. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
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
