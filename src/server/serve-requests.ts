import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorRow } from '../canonical/error-table.ts'
import { type Failure, failureOf, GatewayError } from '../canonical/failure.ts'
import { renderFailure } from '../pipeline/response/response-writer.ts'
import { identify } from './authenticate-request.ts'
import type { UnbufferedRequest } from './body/read-body.ts'
import { checkHead } from './check-head.ts'
import {
  closeAfterUnreadBody,
  IncomingExchange,
  noBody,
  receiveBody,
  releaseBody,
  type ServedRequest,
} from './incoming-request.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import type { RequestListener } from './listener/server-set.ts'
import { logAnsweredRequest, type RequestRefusal } from './log-answered-request.ts'
import { openHead, readTarget, splitTarget } from './open-head.ts'
import { isOperatorsPath } from './operators-path.ts'
import type { KnownIdentity, RequestHead } from './request-head.ts'
import type { ReplyRoute, RouteReply } from './route.ts'
import { createRouteFinder, type FoundRoute, type RouteFinder } from './routes/find-route.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { createSocketAcceptor, type SocketAcceptor } from './sockets/accept-sockets.ts'

/** A served request with its route. */
interface RoutedRequest extends ServedRequest, Finders {
  readonly found: FoundRoute | 'bad-escape' | undefined
}

interface Finders {
  readonly finder: RouteFinder
  readonly acceptor: SocketAcceptor
}

/**
 * Creates the listener for the route table. It checks who may call, receives bodies, and answers every error. It waits
 * only for bytes, so that a request that has arrived completely reaches the pipeline in the same turn.
 */
export function createRequestListener(options: ListenerOptions): ServedProtocols {
  const finder = createRouteFinder(options.routes)
  const acceptor = createSocketAcceptor(options, {
    routes: options.socketRoutes,
    openHead(message, { path, format }) {
      const { query } = splitTarget(readTarget(message))
      return openHead(message, { path, query, format }, options)
    },
  })
  const onRequest: RequestListener = (message, response) => {
    try {
      void serve(openRequest(options, { finder, acceptor }, { message, response }))
    } catch (error) {
      breakOff(options, response, error)
    }
  }
  return { onRequest, acceptor }
}

/** The two kinds of traffic of a listener: requests, and connections that become WebSockets. */
export interface ServedProtocols {
  readonly onRequest: RequestListener
  readonly acceptor: SocketAcceptor
}

interface Arrival {
  readonly message: UnbufferedRequest
  readonly response: ServerResponse
}

function openRequest(
  options: ListenerOptions,
  { finder, acceptor }: Finders,
  { message, response }: Arrival,
): RoutedRequest {
  message.url = readTarget(message)
  const target = splitTarget(message.url)
  const found = finder.find(message.method ?? '', target.path)
  const route = found === 'bad-escape' ? undefined : found?.route
  const format = guessesFormat(route) ? undefined : route?.format
  const head = openHead(message, { ...target, format }, options)
  const isOperators = route === undefined ? isOperatorsPath(target.path) : route.forOperators === true
  if (isOperators) setSecurityHeaders(response, head, options.adminHosts())
  return {
    message,
    response,
    finder,
    acceptor,
    options,
    head,
    found,
    identity: unidentified,
    hold: undefined,
    body: undefined,
    memory: undefined,
    files: undefined,
    leave: undefined,
  }
}

const unidentified: KnownIdentity = { type: 'unknown' }

function guessesFormat(route: FoundRoute['route'] | undefined): boolean {
  return route?.type === 'exchange' && route.guessesFormat === true
}

/** Serves a routed request. Never rejects. */
async function serve(routed: RoutedRequest): Promise<void> {
  try {
    const { route, params } = findServed(routed)
    switch (route.type) {
      case 'exchange':
        await routed.options.serve(new IncomingExchange(routed, route, params))
        return
      case 'reply':
        await replyTo(routed, route, params)
    }
  } catch (error) {
    refuse(routed, error)
  } finally {
    releaseBody(routed)
    routed.leave?.()
  }
}

async function replyTo(
  routed: RoutedRequest,
  route: ReplyRoute,
  params: FoundRoute['params'],
): Promise<void> {
  const { head, response, options } = routed
  const identified = identify(head, route, options)
  const identity = identified instanceof Promise ? await identified : identified
  routed.identity = identity
  const receiving = route.ignoresBody === true ? noBody : receiveBody(routed, route)
  const body = receiving instanceof Promise ? await receiving : receiving
  const handled = route.handle({ head, identity, response, body, params })
  const answer = handled instanceof Promise ? await handled : handled
  if (answer !== 'handed-over') reply(routed, answer)
}

const badEscape = 'The path holds a "%" that is not followed by the two hex digits of a byte of UTF-8.'

/** Checks everything that the head alone decides. Throws `GatewayError`. */
function findServed({ message, found, finder, acceptor, head }: RoutedRequest): FoundRoute {
  if (found === 'bad-escape') throw new GatewayError('malformed_request', { message: badEscape })
  checkHead(message)
  if (found === undefined) throw acceptor.refusalOf(message) ?? notFound(message, head.path, finder)
  return found
}

function refuse(routed: RoutedRequest, error: unknown): void {
  const { head, options, response } = routed
  try {
    const failure = failureOf(error)
    reply(routed, writeRefusal(failure, head), { failure, error })
  } catch (second) {
    breakOff(options, response, second)
  }
}

/**
 * Answers a fault that occurs before the request is known, or during its refusal. There is no log row and no format.
 */
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

function reply(routed: RoutedRequest, answer: RouteReply, refusal?: RequestRefusal): void {
  const { response, head, found, options, identity } = routed
  releaseBody(routed)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, headers, body } = answer
  closeAfterUnreadBody(routed)
  const bytesOut = Buffer.byteLength(body)
  const ids = { 'x-request-id': head.requestId, [head.format.requestIdHeader]: head.requestId }
  response.writeHead(status, { ...ids, ...headers, 'content-length': bytesOut }).end(body)
  const route = found === 'bad-escape' ? undefined : found?.route
  const isSent = head.message.method !== 'HEAD'
  logAnsweredRequest({ head, identity, refusal, route, status, bytesOut: isSent ? bytesOut : 0 }, options)
}

/** Whether a client wants a WebSocket. Its offer may be one that no acceptor takes. */
function wantsWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /(?:^|[\s,])websocket(?:$|[\s,/])/i.test(headers.upgrade ?? '')
}

/** The message for a correct base address with an operation that is not served. It names those that are. */
function describeServed(finder: RouteFinder): string {
  // What is below /v1/realtime belongs to its sessions, or is refused.
  const paths = finder.pathsBelow('/v1/').filter((path) => !/^\/v1\/(?:v1|realtime)\//.test(path))
  return `There is nothing at this path: it is misspelt, or an operation that this gateway does not serve. The base address is right. Served are ${paths.join(', ')}.`
}

function notFound(message: IncomingMessage, path: string, finder: RouteFinder): GatewayError {
  if (path === '/v1/realtime')
    return new GatewayError('upgrade_required', {
      message: 'Realtime sessions are served over WebSocket, and only where websocket is not off.',
      headers: { upgrade: 'websocket', connection: 'upgrade, close' },
    })
  if (path === '/v1/responses' && wantsWebSocket(message)) {
    // With this status, clients fall back to POST at once. The bytes sent along with the offer are not read.
    const headers = { upgrade: 'HTTP/1.1', connection: 'upgrade, close' }
    return new GatewayError('upgrade_required', { headers })
  }
  const allowed = finder.methodsOf(path)
  if (allowed.length === 0) {
    const isBelowVersion = /^(\/v1)?\/v1\/./.test(path)
    return new GatewayError('path_not_found', isBelowVersion ? { message: describeServed(finder) } : {})
  }
  return new GatewayError('method_not_allowed', {
    message: `${message.method} is not a method of this path; it takes ${allowed.join(', ')}.`,
    headers: { allow: allowed.join(', ') },
  })
}

/** Renders a failure as an answer in the path's format. */
function writeRefusal(failure: Failure, { format, requestId }: RequestHead): RouteReply {
  const { status, headers, body } = renderFailure(failure, { format, requestId, headers: {} })
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : body.toString('utf8'),
  }
}
