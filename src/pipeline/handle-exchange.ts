import { createFailure, type Failure, GatewayError } from '../canonical/failure.ts'
import { attemptInOrder } from './attempt-in-order.ts'
import { createCallerLink } from './caller-link.ts'
import { describeRoute } from './describe-route.ts'
import { type Exchange, isFailure, openExchange } from './exchange.ts'
import { type ExchangeTrace, startTrace } from './exchange-trace.ts'
import type { Gateway } from './gateway.ts'
import { handleKeptAnswer } from './handle-kept-answer.ts'
import { openSequence } from './open-sequence.ts'
import { createOutlet, type Outlet } from './outlet.ts'
import type { Received } from './received.ts'
import type { ReplySink } from './reply-sink.ts'
import { writeRow } from './write-row.ts'

/** The way of a request, from its whole body to the last byte of its answer. Never rejects. */
export type HandleExchange = (received: Received, sink: ReplySink) => Promise<void>

export function createHandleExchange(gateway: Gateway): HandleExchange {
  return async function handleExchange(received, sink) {
    const trace = startTrace()
    const callerLink = createCallerLink(sink)
    let outlet: Outlet | undefined
    try {
      if (received.kept !== undefined) {
        outlet = openOutlet(received, sink, gateway, received.kept.stream)
        trace.isStream = received.kept.stream
        const { kept } = received
        const failure = await handleKeptAnswer({ received, kept, outlet, callerLink, trace, gateway })
        if (failure !== undefined && !trace.callerLeft) conclude(failure, outlet, trace)
        return
      }
      const catalog = gateway.catalog.current()
      const exchange = openExchange(received, catalog, gateway.recovery)
      trace.model = exchange.route.publicName
      trace.isStream = exchange.scanned.stream
      outlet = openOutlet(received, sink, gateway, trace.isStream)
      if (received.headers['x-headgate-dry-run'] === '1') {
        outlet.sendWhole(describeRoute({ exchange, catalog, trace, gateway }))
        return
      }
      const deadlineAtMs = received.startedAtMs + gateway.retry.deadlineMs
      const opening = openSequence({ exchange, catalog, trace, callerLink, gateway, deadlineAtMs })
      const opened = opening instanceof Promise ? await opening : opening
      const failure =
        opened === undefined || isFailure(opened)
          ? opened
          : await attemptInOrder({
              exchange,
              sequence: opened.sequence,
              firstStep: opened.firstStep,
              outlet,
              callerLink,
              trace,
              gateway,
              deadlineAtMs,
            }).finally(() => releaseMedia(exchange))
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

function releaseMedia(exchange: Exchange): void {
  if (exchange.kind === 'conversation') exchange.fetchedMedia.release()
}

function openOutlet(received: Received, sink: ReplySink, gateway: Gateway, isStream: boolean): Outlet {
  return createOutlet({
    sink,
    format: received.format,
    requestId: received.requestId,
    clock: gateway.clock,
    watch: gateway.watch,
    heartbeat: isStream ? gateway.heartbeat : undefined,
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
