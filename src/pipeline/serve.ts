import type { Caller } from '../access/key.ts'
import { failureOf, GatewayError } from '../canonical/failure.ts'
import type { RateLease } from '../metering/rate-limiter.ts'
import type { LimitStatus } from '../wire/limit-status.ts'
import { admit } from './admit.ts'
import { attempt } from './attempt.ts'
import { isDryRun } from './caller-access.ts'
import { describeRoute } from './describe-route.ts'
import type { CallerRequest } from './exchange/caller-request.ts'
import type { ExchangeOutcome, ExchangeRecord } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import { plan } from './plan.ts'
import { read } from './read.ts'
import { createCallerConnection, type OwnedCallerConnection } from './response/caller-connection.ts'
import type { ResponseSink } from './response/response-sink.ts'
import { createResponseWriter, type ResponseWriter } from './response/response-writer.ts'
import { serveStoredResponse } from './retrieval/serve-stored-response.ts'
import { settle, startRecord, writeRow } from './settle.ts'
import { readLevels } from './spending/take-rate.ts'

/** A caller's request as the server holds it: its head is here, its key is not checked and its body not read. */
export interface IncomingRequest {
  /** The caller. Throws `GatewayError` where the request shows no valid key. */
  authenticate(): Caller
  /** The whole request. A promise only where its bytes are still to come; throws or rejects with `GatewayError`. */
  receive(caller: Caller): ReceivedRequest | Promise<ReceivedRequest>
}

export interface ReceivedRequest {
  readonly request: CallerRequest
  /** Where its answer goes. */
  readonly sink: ResponseSink
}

/** Serves a request to the last byte of its answer. Rejects only with what the server has to answer itself. */
export type Serve = (incoming: IncomingRequest) => Promise<void>

/** `live` holds the configuration of this moment. */
export function createServe(live: { readonly gateway: Gateway }): Serve {
  return (incoming) => serve(incoming, live)
}

/**
 * The life of a request: authenticate, read, plan, admit, attempt, settle, answer. What the first step throws, the server
 * answers; what a later one throws, the run does. A step gives a promise only where it waits: a turn of the queue costs
 * more than a plan.
 */
async function serve(incoming: IncomingRequest, live: { readonly gateway: Gateway }): Promise<void> {
  const caller = incoming.authenticate()
  const receiving = incoming.receive(caller)
  const { request, sink } = receiving instanceof Promise ? await receiving : receiving
  const { gateway } = live
  const run = new ExchangeRun(gateway, request, sink)
  await run.carryOut(async () => {
    const { record, callerConnection } = run
    const deadlineAtMs = request.startedAtMs + gateway.retry.deadlineMs
    if (request.type === 'stored-response') {
      const writer = run.openWriter(request.stored.stream)
      const input = { request, writer, callerConnection, record, deadlineAtMs }
      const outcome = await serveStoredResponse(input, gateway)
      settle(record, outcome)
      return answer(outcome, writer, record)
    }
    const isDry = isDryRun(request)
    const catalog = gateway.catalog.current()
    const reading = read(request, catalog, gateway)
    const exchange = reading instanceof Promise ? await reading : reading
    const writer = run.openWriter(exchange.scanned.stream, readLevels(exchange, gateway.spending))
    record.model = exchange.route.publicName
    const planned = plan({ exchange, catalog }, gateway)
    record.plan = planned
    if (isDry) return writer.sendWhole(describeRoute({ exchange, plan: planned }, gateway))
    const { holdLease } = run
    const input = {
      exchange,
      catalog,
      record,
      writer,
      callerConnection,
      deadlineAtMs,
      plan: planned,
      holdLease,
    }
    const admitting = admit(input, gateway)
    const admission = admitting instanceof Promise ? await admitting : admitting
    const outcome = admission.type === 'admitted' ? await attempt(input, admission, gateway) : admission
    settle(record, outcome)
    answer(outcome, writer, record)
  })
}

/** What is left to say once the attempts are over: an answer goes out as it comes, a failure does not. */
function answer(outcome: ExchangeOutcome, writer: ResponseWriter, { attempts }: ExchangeRecord): void {
  if (outcome.type === 'failed')
    writer.fail(outcome.failure, { 'x-headgate-attempts': String(attempts.length) })
}

type RunDependencies = Pick<
  Gateway,
  'clock' | 'watch' | 'heartbeat' | 'observer' | 'redactor' | 'reportFault'
>

/** One request under way. It ends once, whatever else of it still runs: with its answer, or with the first fault. */
class ExchangeRun {
  readonly record: ExchangeRecord
  readonly callerConnection: OwnedCallerConnection
  readonly #gateway: RunDependencies
  readonly #request: CallerRequest
  readonly #sink: ResponseSink
  #writer: ResponseWriter | undefined
  #resolve: (() => void) | undefined
  #lease: RateLease | undefined

  constructor(gateway: RunDependencies, request: CallerRequest, sink: ResponseSink) {
    this.#gateway = gateway
    this.#request = request
    this.#sink = sink
    this.record = startRecord(request.startedAtMs, gateway.clock.monotonicMs())
    this.callerConnection = createCallerConnection(sink, (error) => this.#breakOff(error))
  }

  carryOut(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      work().then(
        () => this.#end(),
        (error) => this.#breakOff(error),
      )
    })
  }

  /** Of the rate limits that the request was let through by. */
  readonly holdLease = (lease: RateLease): void => {
    this.#lease = lease
    // The run may have ended while the request waited for it.
    if (this.#resolve === undefined) lease.release()
  }

  openWriter(isStream: boolean, readLimits?: () => readonly LimitStatus[]): ResponseWriter {
    const { clock, watch, heartbeat } = this.#gateway
    const { format, requestId } = this.#request
    this.record.isStream = isStream
    this.#writer = createResponseWriter({
      ...{ sink: this.#sink, format, requestId, clock, watch, readLimits },
      heartbeat: isStream ? heartbeat : undefined,
      onFault: (error) => this.#breakOff(error),
    })
    return this.#writer
  }

  /** Something of ours threw: the caller gets an error, the row its stack, and what still runs is given up. */
  #breakOff(error: unknown): void {
    if (this.#resolve === undefined) return
    const outcome = { type: 'failed', failure: failureOf(error) } as const
    this.record.cause = describeCause(error)
    try {
      settle(this.record, outcome)
      answer(outcome, this.#writer ?? this.openWriter(false), this.record)
    } catch (second) {
      this.#gateway.reportFault('an error answer', second)
      this.#sink.cut()
    }
    this.#end()
    this.callerConnection.abandon()
  }

  #end(): void {
    const resolve = this.#resolve
    if (resolve === undefined) return
    this.#resolve = undefined
    this.#lease?.addOutput(this.record.usage?.outputTokens ?? 0)
    this.#lease?.release()
    const { observer, reportFault } = this.#gateway
    try {
      this.#writer?.close()
      const ended = { request: this.#request, record: this.record, writer: this.#writer }
      observer.requestEnded(writeRow(ended, this.#gateway))
    } catch (error) {
      reportFault('a log row', error)
    }
    resolve()
  }
}

function describeCause(error: unknown): string | undefined {
  if (!(error instanceof GatewayError))
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  return error.cause instanceof Error ? error.cause.message : undefined
}
