import { createFailure, type Failure, GatewayError } from '../canonical/failure.ts'
import { createCredentialTurns } from '../routing/credential-turns.ts'
import { HealthBook } from '../routing/health-book.ts'
import { InFlightBook } from '../routing/in-flight-book.ts'
import { LatencyBook } from '../routing/latency-book.ts'
import { planAttempts, type RoutingFacts } from '../routing/plan-attempts.ts'
import { attemptInOrder } from './attempt-in-order.ts'
import { createCallerLink } from './caller-link.ts'
import { openExchange } from './exchange.ts'
import { type ExchangeTrace, startTrace } from './exchange-trace.ts'
import type { Gateway } from './gateway.ts'
import { createOutlet, type Outlet } from './outlet.ts'
import type { Received } from './received.ts'
import type { ReplySink } from './reply-sink.ts'
import { writeRow } from './write-row.ts'

/** The way of a request, from its whole body to the last byte of its answer. Never rejects. */
export type HandleExchange = (received: Received, sink: ReplySink) => Promise<void>

export function createHandleExchange(gateway: Gateway): HandleExchange {
  const facts: RoutingFacts = {
    health: new HealthBook({ random: gateway.random }),
    inFlight: new InFlightBook(),
    latency: new LatencyBook(),
    random: gateway.random,
    turnOf: createCredentialTurns().take,
  }

  return async function handleExchange(received, sink) {
    const trace = startTrace()
    const callerLink = createCallerLink(sink)
    let outlet: Outlet | undefined
    try {
      const catalog = gateway.catalog.current()
      const exchange = openExchange(received, catalog)
      trace.model = exchange.route.publicName
      trace.isStream = exchange.scanned.stream
      outlet = openOutlet(received, sink, gateway, trace.isStream)
      const { candidates: plan } = planAttempts({
        route: exchange.route,
        catalog,
        nowMs: gateway.clock.monotonicMs(),
        isStream: trace.isStream,
        facts,
        session: undefined,
      })
      const failure = await attemptInOrder({ exchange, plan, outlet, callerLink, trace, gateway })
      if (failure !== undefined && !trace.callerLeft) conclude(failure, outlet, trace)
    } catch (error) {
      trace.cause = describeCause(error)
      outlet ??= openOutlet(received, sink, gateway, false)
      conclude(failureOf(error), outlet, trace)
    } finally {
      outlet?.close()
      gateway.observer.requestEnded(writeRow({ received, trace, outlet, gateway }))
    }
  }
}

function openOutlet(received: Received, sink: ReplySink, gateway: Gateway, isStream: boolean): Outlet {
  return createOutlet({
    sink,
    format: received.format,
    requestId: received.requestId,
    clock: gateway.clock,
    heartbeat: isStream ? gateway.heartbeat : undefined,
    idHeaders: received.format.requestIdHeaders(received.requestId),
  })
}

function conclude(failure: Failure, outlet: Outlet, trace: ExchangeTrace): void {
  trace.failure = failure
  outlet.fail(failure, { 'x-headgate-attempts': String(trace.attempts.length) })
}

function failureOf(error: unknown): Failure {
  return error instanceof GatewayError ? error.failure : createFailure('internal_error')
}

function describeCause(error: unknown): string | undefined {
  if (!(error instanceof GatewayError))
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  return error.cause instanceof Error ? error.cause.message : undefined
}
