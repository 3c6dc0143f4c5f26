import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { GatewayError } from '../canonical/failure.ts'
import { operatorCaller } from '../pipeline/caller-access.ts'
import { asksForDryRun } from '../pipeline/exchange/dry-run.ts'
import { type AdminHosts, checkAdminHost } from './admin-hosts.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import type { Identity, RequestHead, RequestingCaller } from './request-head.ts'
import type { ReplyRoute, ServerRoute } from './route.ts'

/**
 * Identifies the client and checks that it may call the route, before the body is read. Throws `GatewayError` if it may
 * not.
 */
export function identify(
  context: RequestHead,
  route: ReplyRoute,
  options: ListenerOptions,
): Identity | Promise<Identity> {
  const { headers, socket } = context.message
  if (route.forOperators)
    checkAdminHost({ host: headers.host, localAddress: socket.localAddress }, options.adminHosts())
  switch (route.policy) {
    case 'anyone':
      return { type: 'anyone' }
    case 'metrics':
      options.checkMetrics(headers.authorization)
      return { type: 'operator' }
    case 'caller':
      return { type: 'caller', caller: authenticate(context, route, options) }
    default:
      refuseWhileDraining(options)
      checkEncoding(headers)
      return identifyOperator(context, route.policy, options)
  }
}

/** Identifies the operator. The promise may wait for the store of sessions and tokens. */
async function identifyOperator(
  context: RequestHead,
  policy: Exclude<ReplyRoute['policy'], string>,
  { admitOperator, adminHosts }: ListenerOptions,
): Promise<Identity> {
  const { headers, method = '' } = context.message
  const principal = await admitOperator({
    policy,
    method,
    path: context.path,
    address: context.address,
    authorization: headers.authorization,
    cookie: headers.cookie,
    host: headers.host,
    origin: headers.origin,
    fetchSite: onlyOne(headers['sec-fetch-site']),
    isSecure: isSecure(context, adminHosts()),
  })
  return principal === undefined ? { type: 'anyone' } : { type: 'operator', principal }
}

function onlyOne(header: string | string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(',') : header
}

/** Whether the browser uses TLS: to this listener, or to a proxy at the configured address of the gateway. */
export function isSecure(
  { message: { socket, headers } }: Pick<RequestHead, 'message'>,
  { secureHost }: AdminHosts,
): boolean {
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true
  return isEncrypted || (secureHost !== undefined && headers.host?.toLowerCase() === secureHost)
}

interface Draining {
  readonly gate: { readonly isDraining: boolean }
}

/**
 * The address at which a caller reaches this gateway, for URLs in answers: the configured address, else that of the
 * request. The header "X-Forwarded-Proto" is trusted here, since a false value misleads only the caller itself.
 */
export function findOwnOrigin(context: Pick<RequestHead, 'message'>, hosts: AdminHosts): string {
  if (hosts.publicUrl !== undefined) return hosts.publicUrl
  const { host = 'localhost', 'x-forwarded-proto': scheme } = context.message.headers
  return `${scheme === 'https' || isSecure(context, hosts) ? 'https' : 'http'}://${host}`
}

/** Finds the owner of the key or token of a request. Throws `GatewayError` if there is no valid key. */
export function authenticate(
  context: RequestHead,
  route: Pick<ServerRoute, 'format' | 'acceptsQueryKey'>,
  options: Pick<ListenerOptions, 'callerAccess' | 'checkAdmin'> & Draining,
  headers: IncomingHttpHeaders = context.message.headers,
): RequestingCaller {
  const { socket } = context.message
  refuseWhileDraining(options)
  const caller = isOperatorsDryRun(context, route, options)
    ? operatorCaller
    : options.callerAccess.authenticate({
        headers,
        queryKey: route.acceptsQueryKey === true ? queryKeyOf(context.query) : undefined,
        address: context.address,
        connection: socket,
      })
  checkEncoding(headers)
  return caller
}

function refuseWhileDraining({ gate }: Draining): void {
  if (gate.isDraining) throw new GatewayError('shutting_down', { headers: { connection: 'close' } })
}

/**
 * Whether this is a dry run of an operator. Operators can see the route of a request without a key: the admin token is
 * enough. On these paths it is accepted only for that.
 */
function isOperatorsDryRun(
  { message }: RequestHead,
  route: Pick<ServerRoute, 'format'>,
  options: Pick<ListenerOptions, 'checkAdmin'>,
): boolean {
  if (!asksForDryRun(message.headers) || route.format === undefined) return false
  try {
    options.checkAdmin(message.headers.authorization)
    return true
  } catch (error) {
    // The token is not the admin token, so it is checked like any other key.
    if (error instanceof GatewayError && error.failure.code === 'admin_only') return false
    throw error
  }
}

/** The charsets that are UTF-8 or a subset of it. */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

function checkEncoding(headers: IncomingHttpHeaders): void {
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

function queryKeyOf(query: string): string | undefined {
  return query === '' ? undefined : (new URLSearchParams(query).get('key') ?? undefined)
}

export function checkMediaType({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? ''
  // A shortcut: nearly every client sends exactly this.
  if (type === 'application/json') return
  const [essence = ''] = type.split(';', 1)
  if (essence.trim().toLowerCase() === 'application/json') return
  const logCause = type === '' ? 'no content type was sent' : `the content type is "${essence}"`
  throw new GatewayError('unsupported_media_type', { logCause })
}

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

/** Whether the message announces a body after its head. */
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
