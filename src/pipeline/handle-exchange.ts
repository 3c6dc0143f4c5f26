import { createFailure, type Failure, GatewayError, isFailure } from '../canonical/failure.ts'
import { describeRoute } from './describe-route.ts'
import { isDryRun } from './dry-run.ts'
import type { CallerRequest } from './exchange/caller-request.ts'
import { type Exchange, openExchange } from './exchange/exchange.ts'
import { type ExchangeRecord, startRecord } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import { openSequence } from './open-sequence.ts'
import { createCallerConnection, type OwnedCallerConnection } from './response/caller-connection.ts'
import type { ResponseSink } from './response/response-sink.ts'
import { createResponseWriter, type ResponseWriter } from './response/response-writer.ts'
import { serveStoredResponse } from './retrieval/serve-stored-response.ts'
import { runAttempts } from './run-attempts.ts'
import { openStoredExchange } from './stored-responses/open-stored-exchange.ts'
import { writeRow } from './write-row.ts'

/** Carries out a request, from its whole body to the last byte of its answer. Never rejects. */
export type HandleExchange = (callerRequest: CallerRequest, sink: ResponseSink) => Promise<void>

export function createHandleExchange(gateway: Gateway): HandleExchange {
  return (callerRequest, sink) =>
    new Promise((resolve) => new ExchangeRun(gateway, callerRequest, sink).start(resolve))
}

/** One request under way. It ends once, whatever else of it still runs: with its answer, or with the first fault. */
class ExchangeRun {
  readonly #gateway: Gateway
  readonly #callerRequest: CallerRequest
  readonly #sink: ResponseSink
  readonly #record: ExchangeRecord
  readonly #callerConnection: OwnedCallerConnection
  #writer: ResponseWriter | undefined
  #resolve: (() => void) | undefined

  constructor(gateway: Gateway, callerRequest: CallerRequest, sink: ResponseSink) {
    this.#gateway = gateway
    this.#callerRequest = callerRequest
    this.#record = startRecord(callerRequest.startedAtMs, gateway.clock.monotonicMs())
    this.#sink = sink
    this.#callerConnection = createCallerConnection(sink, (error) => this.#breakOff(error))
  }

  start(resolve: () => void): void {
    this.#resolve = resolve
    this.#answer().then(
      () => this.#end(),
      (error) => this.#breakOff(error),
    )
  }

  async #answer(): Promise<void> {
    const callerRequest = this.#callerRequest
    const gateway = this.#gateway
    const record = this.#record
    const callerConnection = this.#callerConnection
    if (callerRequest.stored !== undefined) {
      const { stored: request } = callerRequest
      const writer = this.#openWriter(request.stream)
      record.isStream = request.stream
      const failure = await serveStoredResponse({
        callerRequest,
        request,
        writer,
        callerConnection,
        record,
        gateway,
      })
      if (failure !== undefined && !record.callerLeft) conclude(failure, writer, record)
      return
    }
    const isDry = isDryRun(callerRequest)
    const catalog = gateway.catalog.current()
    const asked = openExchange(callerRequest, catalog, gateway.recovery)
    const isResponse = asked.kind === 'conversation' && asked.format.id === 'responses'
    const exchange = isResponse ? await openStoredExchange(asked, gateway) : asked
    record.model = exchange.route.publicName
    record.isStream = exchange.scanned.stream
    const writer = this.#openWriter(record.isStream)
    if (isDry) {
      writer.sendWhole(describeRoute({ exchange, catalog, record, gateway }))
      return
    }
    const deadlineAtMs = callerRequest.startedAtMs + gateway.retry.deadlineMs
    const opening = openSequence({ exchange, catalog, record, callerConnection, gateway, deadlineAtMs })
    const opened = opening instanceof Promise ? await opening : opening
    const failure =
      opened === undefined || isFailure(opened)
        ? opened
        : await runAttempts({
            exchange,
            sequence: opened.sequence,
            firstStep: opened.firstStep,
            writer,
            callerConnection,
            record,
            gateway,
            deadlineAtMs,
          }).finally(() => releaseMedia(exchange))
    if (failure !== undefined && !record.callerLeft) conclude(failure, writer, record)
  }

  #openWriter(isStream: boolean): ResponseWriter {
    this.#writer = createResponseWriter({
      sink: this.#sink,
      format: this.#callerRequest.format,
      requestId: this.#callerRequest.requestId,
      clock: this.#gateway.clock,
      watch: this.#gateway.watch,
      heartbeat: isStream ? this.#gateway.heartbeat : undefined,
      onFault: (error) => this.#breakOff(error),
    })
    return this.#writer
  }

  /** Something of ours threw: the caller gets an error, the row its stack, and what still runs is given up. */
  #breakOff(error: unknown): void {
    if (this.#resolve === undefined) return
    this.#record.cause = describeCause(error)
    try {
      conclude(failureOf(error), this.#writer ?? this.#openWriter(false), this.#record)
    } catch (second) {
      this.#gateway.reportFault('an error answer', second)
      this.#sink.cut()
    }
    this.#end()
    this.#callerConnection.abandon()
  }

  #end(): void {
    const resolve = this.#resolve
    if (resolve === undefined) return
    this.#resolve = undefined
    const callerRequest = this.#callerRequest
    const gateway = this.#gateway
    try {
      this.#writer?.close()
      gateway.observer.requestEnded(
        writeRow({ callerRequest, record: this.#record, writer: this.#writer, gateway }),
      )
    } catch (error) {
      gateway.reportFault('a log row', error)
    }
    resolve()
  }
}

function releaseMedia(exchange: Exchange): void {
  if (exchange.kind === 'conversation') exchange.fetchedMedia.release()
}

function conclude(failure: Failure, writer: ResponseWriter, record: ExchangeRecord): void {
  record.failure = failure
  writer.fail(failure, { 'x-headgate-attempts': String(record.attempts.length) })
}

function failureOf(error: unknown): Failure {
  return error instanceof GatewayError ? error.failure : createFailure('internal_error')
}

function describeCause(error: unknown): string | undefined {
  if (!(error instanceof GatewayError))
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  return error.cause instanceof Error ? error.cause.message : undefined
}
