import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../canonical/failure.ts'
import { BodyBytes } from '../kit/body-bytes.ts'
import { BodyIntake } from '../kit/body-intake.ts'
import { createDeadlineWatch } from '../pipeline/deadline-watch.ts'
import { admitRequest } from './admit-request.ts'
import { announcesBody, checkHead } from './check-head.ts'
import { findAllowedMethods } from './find-allowed-methods.ts'
import type { ListenerParts } from './listener-parts.ts'
import { noteReply } from './note-reply.ts'
import { openContext } from './open-context.ts'
import { readBody } from './read-body.ts'
import type { RequestContext } from './request-context.ts'
import type { Route, RouteReply } from './route.ts'
import { failureOfError, writeRefusal } from './write-refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext | undefined
  }
  interface FastifyContextConfig {
    route?: Route
  }
}

const noBody = BodyIntake.of([])

/** Mounts the route table: who may call, how bodies come in, and how everything that goes wrong is answered. */
export function addRoutes(fastify: FastifyInstance, parts: ListenerParts): void {
  fastify.decorateRequest('context', undefined)
  fastify.removeAllContentTypeParsers()
  const pace = createDeadlineWatch(parts.clock)
  fastify.addContentTypeParser('application/json', (request, message, done) =>
    readBody(
      message,
      { ...parts, pace, maxBytes: parts.limits.bodyBytes, ask: contextOf(request).askForBody },
      done,
    ),
  )
  fastify.addHook('onRequest', (request, reply, done) => {
    const { route } = request.routeOptions.config
    const context = openContext(request.raw, route, parts)
    request.context = context
    checkHead(request.raw)
    // Before the body, which nobody who has not come in may make us keep.
    if (route === undefined) throw notFound(context, parts)
    admitRequest(context, route, parts)
    settleConnection(request.raw, reply.raw, context)
    done()
  })
  fastify.setErrorHandler((error, request, reply) => refuse(error, request, reply, parts))
  fastify.setNotFoundHandler((request, reply) =>
    refuse(notFound(contextOf(request), parts), request, reply, parts),
  )
  for (const route of parts.routes) {
    fastify.route({
      method: route.method,
      url: route.path,
      config: { route },
      handler: (request, reply) => serve({ route, request, reply, parts }),
    })
  }
}

function contextOf(request: FastifyRequest): RequestContext {
  if (request.context === undefined) throw new Error('the request has no context')
  return request.context
}

interface Served {
  readonly route: Route
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly parts: ListenerParts
}

async function serve({ route, request, reply, parts }: Served): Promise<void> {
  const context = contextOf(request)
  const handled = route.handle({
    context,
    response: reply.raw,
    body: request.body instanceof BodyBytes ? request.body : noBody,
    params: isTextRecord(request.params) ? request.params : {},
  })
  if (handled === 'taken-over') {
    reply.hijack()
    return
  }
  closeAfterUnreadBody(request.raw, reply)
  send(reply, await handled)
  noteReply({ context, route, status: reply.statusCode, parts })
}

function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null
}

function send(reply: FastifyReply, { status, headers, body }: RouteReply): void {
  reply
    .code(status)
    .headers({ ...headers })
    .send(body)
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, parts: ListenerParts): void {
  const context = contextOf(request)
  const failure = failureOfError(error, parts.limits.bodyBytes)
  context.refusal = { failure, error }
  closeAfterUnreadBody(request.raw, reply)
  send(reply, writeRefusal(failure, context))
  noteReply({ context, route: request.routeOptions.config.route, status: reply.statusCode, parts })
}

/** A path that the router could not even read: no hook has run. */
export function refuseBadPath({ error, request, reply, parts }: BadPath): void {
  request.context = openContext(request.raw, undefined, parts)
  refuse(error, request, reply, parts)
}

export interface BadPath {
  readonly error: Error
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly parts: ListenerParts
}

/** A body that nobody read must not be taken for the next request. */
function closeAfterUnreadBody(message: IncomingMessage, reply: FastifyReply): void {
  if (!message.complete && announcesBody(message)) reply.header('connection', 'close')
}

/** Lets a body come that waits for a word, and ends a connection on which other protocols were offered. */
function settleConnection(message: IncomingMessage, response: ServerResponse, context: RequestContext): void {
  if (message.headers.expect !== undefined) context.askForBody = () => response.writeContinue()
  // We never switch. Bytes sent along with the offer are not read any more, so they must not wait for an answer.
  if (message.headers.upgrade !== undefined) response.shouldKeepAlive = false
}

/** For a base address that is right, and an operation that is not here. */
const notServed =
  'There is nothing at this path: it is misspelt, or an operation that this gateway does not serve. The base address is right.'

function notFound({ path, message }: RequestContext, { routes }: ListenerParts): GatewayError {
  const allowed = findAllowedMethods(routes, path)
  if (allowed.length === 0) {
    const isBelowVersion = /^(\/v1)?\/v1\/./.test(path)
    return new GatewayError('path_not_found', isBelowVersion ? { message: notServed } : {})
  }
  return new GatewayError('method_not_allowed', {
    message: `${message.method} is not a method of this path; it takes ${allowed.join(', ')}.`,
    headers: { allow: allowed.join(', ') },
  })
}
