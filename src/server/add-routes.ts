import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../canonical/failure.ts'
import { BodyBytes } from '../kit/body-bytes.ts'
import { BodyIntake } from '../kit/body-intake.ts'
import { admitRequest } from './admit-request.ts'
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
  fastify.addContentTypeParser('application/json', (_request, message, done) =>
    readBody(message, parts.limits.bodyBytes, done),
  )
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { route } = request.routeOptions.config
    request.context = openContext(request.raw, route, parts)
    if (route !== undefined) admitRequest(request.context, route, parts)
    done()
  })
  fastify.setErrorHandler((error, request, reply) => refuse(error, request, reply, parts))
  fastify.setNotFoundHandler((request, reply) => refuse(notFound(request, parts), request, reply, parts))
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
  // A body that nobody read must not be taken for the next request.
  if (!request.raw.complete) reply.header('connection', 'close')
  send(reply, writeRefusal(failure, context))
  noteReply({ context, route: request.routeOptions.config.route, status: reply.statusCode, parts })
}

function notFound(request: FastifyRequest, { routes }: ListenerParts): GatewayError {
  const { path } = contextOf(request)
  const allowed = findAllowedMethods(routes, path)
  if (allowed.length === 0) return new GatewayError('path_not_found')
  return new GatewayError('method_not_allowed', {
    message: `${request.method} is not a method of this path; it takes ${allowed.join(', ')}.`,
    headers: { allow: allowed.join(', ') },
  })
}
