import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure, GatewayError } from '../canonical/failure.ts'
import type { BodyBytes } from '../kit/json/body-bytes.ts'
import { BodyIntake } from '../kit/json/body-intake.ts'
import { renderFailure } from '../pipeline/response/response-writer.ts'
import { admitRequest } from './admit-request.ts'
import { readBody } from './body/read-body.ts'
import type { UnbufferedRequest } from './body/unbuffered-request.ts'
import { announcesBody, checkHead } from './check-head.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import type { RequestListener } from './listener/server-set.ts'
import { logRefusal } from './log-refusal.ts'
import { openContext } from './open-context.ts'
import type { RequestContext } from './request-context.ts'
import type { RouteReply } from './route.ts'
import { createRouteFinder, type FoundRoute, type RouteFinder } from './routes/find-route.ts'

interface Service {
  readonly options: ListenerOptions
  readonly finder: RouteFinder
}

/** One request, and where its answer goes. */
interface Visit extends Service {
  readonly message: UnbufferedRequest
  readonly response: ServerResponse
  readonly context: RequestContext
  readonly found: FoundRoute | undefined
  readonly hasBadEscape: boolean
}

/**
 * Serves the route table: who may call, how bodies come in, and how everything that goes wrong is answered. Nothing in it
 * waits but for bytes, so that a request that is all here reaches the pipeline in the same turn.
 */
export function createRequestListener(options: ListenerOptions): RequestListener {
  const service = { options, finder: createRouteFinder(options.routes) }
  return (message, response) => receive(service, message, response)
}

function receive(service: Service, message: UnbufferedRequest, response: ServerResponse): void {
  let visit: Visit | undefined
  try {
    visit = openVisit(service, message, response)
    admit(visit)
  } catch (error) {
    if (visit === undefined) breakOff(service.options, response, error)
    else refuse(visit, error)
  }
}

function openVisit(
  { options, finder }: Service,
  message: UnbufferedRequest,
  response: ServerResponse,
): Visit {
  message.url = readTarget(message)
  const target = splitTarget(message.url)
  const result = finder.find(message.method ?? '', target.path)
  const found = result === 'bad-escape' ? undefined : result
  const context = openContext(message, { ...target, route: found?.route }, options)
  return { options, finder, message, response, context, found, hasBadEscape: result === 'bad-escape' }
}

const badEscape = 'The path holds a "%" that is not followed by the two hex digits of a byte of UTF-8.'

function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** Judges all that can be judged before the body, which nobody who has not come in may make us keep. */
function admit(visit: Visit): void {
  const { message, context, found, options } = visit
  if (visit.hasBadEscape) throw new GatewayError('malformed_request', { message: badEscape })
  checkHead(message)
  if (found === undefined) throw notFound(visit)
  admitRequest(context, found.route, options)
  settleConnection(visit)
  if (!mayBringBody(message)) {
    closeAfterUnreadBody(visit)
    void serve(visit, found, noBody)
    return
  }
  checkMediaType(message)
  const { clock, watch, limits, bodies } = options
  // What the operator sends is not counted, so that the admin API can be used whatever callers do.
  const hold = context.caller === undefined ? undefined : bodies.open(context.caller.keyId)
  context.bodyHold = hold
  const intake = { clock, watch, maxBytes: limits.bodyBytes, hold, ask: context.askForBody }
  readBody(message, intake, (error, body) => {
    if (body === undefined) refuse(visit, error)
    else void serve(visit, found, body)
  })
}

const noBody = BodyIntake.of([])

/** What comes with GET and HEAD has no meaning and is not read. */
function mayBringBody(message: IncomingMessage): boolean {
  if (message.method === 'GET' || message.method === 'HEAD') return false
  return message.headers['content-type'] !== undefined || announcesBody(message)
}

function checkMediaType({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? ''
  // Nearly every client writes it so.
  if (type === 'application/json') return
  const [essence = ''] = type.split(';', 1)
  if (essence.trim().toLowerCase() === 'application/json') return
  const cause = new Error(type === '' ? 'no content type was sent' : `the content type is "${essence}"`)
  throw new GatewayError('unsupported_media_type', {}, { cause })
}

/** Lets a body come that waits for a word, and ends a connection on which other protocols were offered. */
function settleConnection({ message, response, context }: Visit): void {
  if (message.headers.expect !== undefined) context.askForBody = () => response.writeContinue()
  // We never switch. Bytes sent along with the offer are not read any more, so they must not wait for an answer.
  if (message.headers.upgrade !== undefined) response.shouldKeepAlive = false
}

async function serve(visit: Visit, { route, params }: FoundRoute, body: BodyBytes): Promise<void> {
  try {
    const { context, response } = visit
    const handled = route.handle({ context, response, body, params })
    if (handled === 'taken-over') return
    const answer = await handled
    if (answer !== 'taken-over') reply(visit, answer)
  } catch (error) {
    refuse(visit, error)
  }
}

function refuse(visit: Visit, error: unknown): void {
  const { context, options, response } = visit
  try {
    const failure = failureOfError(error)
    context.refusal = { failure, error }
    reply(visit, writeRefusal(failure, context))
  } catch (second) {
    breakOff(options, response, second)
  }
}

/** A fault before anything is known of a request, or while it is refused: it has no row and no format. */
function breakOff({ reportFault }: ListenerOptions, response: ServerResponse, error: unknown): void {
  reportFault('a request', error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.shouldKeepAlive = false
  const body = JSON.stringify({ error: { message: errorRow('internal_error').message, ...plainFault } })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(500, headers).end(body)
}

const plainFault = { type: 'api_error', param: null, code: 'internal_error' }

function reply(visit: Visit, answer: RouteReply): void {
  const { response, context, found, options } = visit
  context.bodyHold?.release()
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, headers, body } = answer
  closeAfterUnreadBody(visit)
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  logRefusal({ context, route: found?.route, status, options })
}

/** A body that nobody read must not be taken for the next request. */
function closeAfterUnreadBody({ message, response }: Visit): void {
  if (!message.complete && announcesBody(message)) response.shouldKeepAlive = false
}

function offersWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /(?:^|[\s,])websocket(?:$|[\s,/])/i.test(headers.upgrade ?? '')
}

/** For a base address that is right, and an operation that is not here. */
const notServed =
  'There is nothing at this path: it is misspelt, or an operation that this gateway does not serve. The base address is right.'

function notFound({ context: { path, message }, finder }: Visit): GatewayError {
  if (path === '/v1/responses' && offersWebSocket(message)) {
    // With this status clients fall back to POST at once; what they sent along with the offer is not read.
    const headers = { upgrade: 'HTTP/1.1', connection: 'upgrade, close' }
    return new GatewayError('upgrade_required', { headers })
  }
  const allowed = finder.methodsOf(path)
  if (allowed.length === 0) {
    const isBelowVersion = /^(\/v1)?\/v1\/./.test(path)
    return new GatewayError('path_not_found', isBelowVersion ? { message: notServed } : {})
  }
  return new GatewayError('method_not_allowed', {
    message: `${message.method} is not a method of this path; it takes ${allowed.join(', ')}.`,
    headers: { allow: allowed.join(', ') },
  })
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)(.*)$/is

/**
 * Path and query of a request. The absolute form that proxies use is taken where its host is that of the header;
 * every other one stays as it is, to be refused. A doubled `/v1` is taken away.
 */
function readTarget({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  if (url.startsWith('/')) return withoutDoubledVersion(url)
  const [, host = '', rest = ''] = ABSOLUTE.exec(url) ?? []
  if (host === '' || host.toLowerCase() !== headers.host?.toLowerCase()) return url
  return withoutDoubledVersion(rest.startsWith('/') ? rest : `/${rest}`)
}

/** An SDK whose base already ends in /v1 asks for /v1/v1/…; both are the same place. */
function withoutDoubledVersion(target: string): string {
  return target.startsWith('/v1/v1/') ? target.slice(3) : target
}

/** Any error as a failure: ours as they are, all else as our own fault. */
function failureOfError(error: unknown): Failure {
  return error instanceof GatewayError ? error.failure : createFailure('internal_error')
}

/** A failure as an answer in the words of the path's format. */
export function writeRefusal(failure: Failure, context: RequestContext): RouteReply {
  const { format, requestId } = context
  const { status, headers, body } = renderFailure(failure, { format, requestId, headers: {} })
  return {
    status,
    headers: { 'content-type': 'application/json', ...format.requestIdHeaders(requestId), ...headers },
    body: typeof body === 'string' ? body : body.toString('utf8'),
  }
}
