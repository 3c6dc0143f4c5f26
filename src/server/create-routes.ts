import type { AdminRoute } from '../admin/admin-routes.ts'
import type { FormatId } from '../canonical/format.ts'
import type { FrontDoor } from '../pipeline/front-door.ts'
import type { HandleExchange } from '../pipeline/handle-exchange.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { WireFormat } from '../wire/wire-format.ts'
import type { DrainGate } from './drain-gate.ts'
import { mountAdminRoute } from './mount-admin-route.ts'
import { createReplySink } from './reply-sink.ts'
import type { Exchanged, Route } from './route.ts'
import { findModelReply, listModelsReply } from './serve-model-list.ts'

export interface RouteParts {
  readonly frontDoor: FrontDoor
  readonly handleExchange: HandleExchange
  readonly formats: Readonly<Record<FormatId, WireFormat>>
  readonly metrics: Metrics
  readonly gate: DrainGate
  readonly adminRoutes: readonly AdminRoute[]
}

/** What callers reach: the operations of each format, and the model list. */
export function createCallerRoutes(parts: RouteParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      policy: 'caller',
      format: 'chat',
      handle: exchange(parts, 'chat'),
    },
    {
      method: 'POST',
      path: '/v1/messages',
      policy: 'caller',
      format: 'messages',
      handle: exchange(parts, 'messages'),
    },
    {
      method: 'GET',
      path: '/v1/models',
      policy: 'caller',
      takesQueryKey: true,
      handle: (exchanged) => listModelsReply(exchanged, parts.frontDoor),
    },
    {
      method: 'GET',
      path: '/v1/models/*',
      policy: 'caller',
      takesQueryKey: true,
      handle: (exchanged) => findModelReply(exchanged, parts.frontDoor),
    },
    { method: 'GET', path: '/healthz', policy: 'anyone', handle: () => json(200, { status: 'ok' }) },
    { method: 'GET', path: '/readyz', policy: 'anyone', handle: () => readiness(parts.gate) },
  ]
}

/** What operators reach. On a listener of its own, or beside the callers' on loopback. */
export function createOperatorRoutes(parts: RouteParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/metrics',
      policy: 'anyone',
      handle: async () => ({
        status: 200,
        headers: { 'content-type': parts.metrics.contentType },
        body: await parts.metrics.render(),
      }),
    },
    ...parts.adminRoutes.map(mountAdminRoute),
  ]
}

function exchange({ handleExchange, formats, gate }: RouteParts, format: FormatId) {
  return ({ context, response, body }: Exchanged) => {
    const { caller, message } = context
    if (caller === undefined) throw new Error('an exchange needs a caller')
    const sink = createReplySink(response)
    const leave = gate.enter(sink.stop)
    const received = {
      requestId: context.requestId,
      format: formats[format],
      path: context.path,
      query: context.query,
      caller,
      address: context.address,
      headers: message.headers,
      body,
      startedAtMs: context.startedAtMs,
    }
    void handleExchange(received, sink).finally(leave)
    return 'taken-over' as const
  }
}

function readiness(gate: DrainGate) {
  return gate.isDraining ? json(503, { status: 'draining' }) : json(200, { status: 'ready' })
}

function json(status: number, body: object) {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
