import { createFailure, type Failure, GatewayError } from '../canonical/failure.ts'
import { describeRoute } from './describe-route.ts'
import { isDryRun } from './dry-run.ts'
import type { CallerRequest } from './exchange/caller-request.ts'
import { type Exchange, isFailure, openExchange } from './exchange/exchange.ts'
import { type ExchangeRecord, startTrace } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import { openSequence } from './open-sequence.ts'
import { createCallerLink, type OwnedCallerLink } from './response/caller-connection.ts'
import type { ResponseSink } from './response/response-sink.ts'
import { createOutlet, type ResponseWriter } from './response/response-writer.ts'
import { serveStoredResponse } from './retrieval/serve-stored-response.ts'
import { runAttempts } from './run-attempts.ts'
import { openStoredExchange } from './stored-responses/open-stored-exchange.ts'
import { writeRow } from './write-row.ts'

/** Carries out a request, from its whole body to the last byte of its answer. Never rejects. */
export type HandleExchange = (received: CallerRequest, sink: ResponseSink) => Promise<void>

export function createHandleExchange(gateway: Gateway): HandleExchange {
  return (received, sink) => new Promise((resolve) => new ExchangeRun(gateway, received, sink).start(resolve))
}

/** One request under way. It ends once, whatever else of it still runs: with its answer, or with the first fault. */
class ExchangeRun {
  readonly #gateway: Gateway
  readonly #received: CallerRequest
  readonly #sink: ResponseSink
  readonly #trace: ExchangeRecord
  readonly #callerLink: OwnedCallerLink
  #outlet: ResponseWriter | undefined
  #resolve: (() => void) | undefined

  constructor(gateway: Gateway, received: CallerRequest, sink: ResponseSink) {
    this.#gateway = gateway
    this.#received = received
    this.#trace = startTrace(received.startedAtMs, gateway.clock.monotonicMs())
    this.#sink = sink
    this.#callerLink = createCallerLink(sink, (error) => this.#breakOff(error))
  }

  start(resolve: () => void): void {
    this.#resolve = resolve
    this.#answer().then(
      () => this.#end(),
      (error) => this.#breakOff(error),
    )
  }

  async #answer(): Promise<void> {
    const received = this.#received
    const gateway = this.#gateway
    const trace = this.#trace
    const callerLink = this.#callerLink
    if (received.stored !== undefined) {
      const { stored: request } = received
      const outlet = this.#openOutlet(request.stream)
      trace.isStream = request.stream
      const failure = await serveStoredResponse({ received, request, outlet, callerLink, trace, gateway })
      if (failure !== undefined && !trace.callerLeft) conclude(failure, outlet, trace)
      return
    }
    const isDry = isDryRun(received)
    const catalog = gateway.catalog.current()
    const asked = openExchange(received, catalog, gateway.recovery)
    const isResponse = asked.kind === 'conversation' && asked.format.id === 'responses'
    const exchange = isResponse ? await openStoredExchange(asked, gateway) : asked
    trace.model = exchange.route.publicName
    trace.isStream = exchange.scanned.stream
    const outlet = this.#openOutlet(trace.isStream)
    if (isDry) {
      outlet.sendWhole(describeRoute({ exchange, catalog, trace, gateway }))
      return
    }
    const deadlineAtMs = received.startedAtMs + gateway.retry.deadlineMs
    const opening = openSequence({ exchange, catalog, trace, callerLink, gateway, deadlineAtMs })
    const opened = opening instanceof Promise ? await opening : opening
    const failure =
      opened === undefined || isFailure(opened)
        ? opened
        : await runAttempts({
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
  }

  #openOutlet(isStream: boolean): ResponseWriter {
    this.#outlet = createOutlet({
      sink: this.#sink,
      format: this.#received.format,
      requestId: this.#received.requestId,
      clock: this.#gateway.clock,
      watch: this.#gateway.watch,
      heartbeat: isStream ? this.#gateway.heartbeat : undefined,
      onFault: (error) => this.#breakOff(error),
    })
    return this.#outlet
  }

  /** Something of ours threw: the caller gets an error, the row its stack, and what still runs is given up. */
  #breakOff(error: unknown): void {
    if (this.#resolve === undefined) return
    this.#trace.cause = describeCause(error)
    try {
      conclude(failureOf(error), this.#outlet ?? this.#openOutlet(false), this.#trace)
    } catch (second) {
      this.#gateway.reportFault('an error answer', second)
      this.#sink.cut()
    }
    this.#end()
    this.#callerLink.abandon()
  }

  #end(): void {
    const resolve = this.#resolve
    if (resolve === undefined) return
    this.#resolve = undefined
    const received = this.#received
    const gateway = this.#gateway
    try {
      this.#outlet?.close()
      gateway.observer.requestEnded(writeRow({ received, trace: this.#trace, outlet: this.#outlet, gateway }))
    } catch (error) {
      gateway.reportFault('a log row', error)
    }
    resolve()
  }
}

function releaseMedia(exchange: Exchange): void {
  if (exchange.kind === 'conversation') exchange.fetchedMedia.release()
}

function conclude(failure: Failure, outlet: ResponseWriter, trace: ExchangeRecord): void {
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
