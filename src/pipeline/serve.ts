import type { Caller } from '../access/key.ts'
import { causeOf, failureOf, GatewayError } from '../canonical/failure.ts'
import type { RateLease } from '../metering/rates/rate-limiter.ts'
import type { LimitStatus } from '../wire/limit-status.ts'
import { admit } from './admit.ts'
import { attempt } from './attempt.ts'
import { isDryRun } from './caller-access.ts'
import { describeRoute } from './describe-route.ts'
import type { CallerRequest, OperationRequest, RetrievalRequest } from './exchange/caller-request.ts'
import type { ExchangeOutcome, ExchangeRecord } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import type { WaitingCaller } from './idempotency/answer-follower.ts'
import {
  findStoredAnswer,
  IDEMPOTENCY_HEADER,
  isShareable,
  type SharingDependencies,
  shareCall,
} from './idempotency/share-call.ts'
import type { SharedAnswer } from './idempotency/shared-answer.ts'
import { plan } from './plan.ts'
import { read } from './read.ts'
import { recordOutcome, startRecord, writeRow } from './record-outcome.ts'
import {
  type CallerConnection,
  createCallerConnection,
  type OwnedCallerConnection,
} from './response/caller-connection.ts'
import type { ResponseSink } from './response/response-sink.ts'
import { createResponseWriter, type ResponseWriter } from './response/response-writer.ts'
import { serveStoredResponse } from './retrieval/serve-stored-response.ts'

/** A caller's request as the server holds it: its head is here, its key is not checked and its body not read. */
export interface IncomingRequest {
  /** The caller. Throws `GatewayError` where the request shows no valid key. */
  authenticate(): Caller
  /** The whole request. A promise only where its bytes are still to come; throws or rejects with `GatewayError`. */
  receive(caller: Caller): ReceivedRequest | Promise<ReceivedRequest>
}

export interface ReceivedRequest {
  readonly request: CallerRequest
  /** The destination of the answer. */
  readonly sink: ResponseSink
}

/** Serves a request to the last byte of its answer. Rejects only with what the server has to answer itself. */
export type Serve = (incoming: IncomingRequest) => Promise<void>

/** `live` holds the configuration of this moment. */
export function createServe(live: { readonly gateway: Gateway }): Serve {
  return (incoming) => serve(incoming, live)
}

/**
 * The life of a request: authenticate, read, plan, admit, attempt, record, answer. What the first step throws, the
 * server answers; what a later one throws, the run does. A step gives a promise only where it waits, since a
 * continuation runs behind all else in the event loop's queues (decision 0012).
 */
async function serve(incoming: IncomingRequest, live: { readonly gateway: Gateway }): Promise<void> {
  const caller = incoming.authenticate()
  const receiving = incoming.receive(caller)
  const { request, sink } = receiving instanceof Promise ? await receiving : receiving
  const { gateway } = live
  const run = new ExchangeRun(gateway, request, sink)
  await run.carryOut(async () => {
    if (request.type === 'stored-response') return retrieve(request, run, gateway)
    const isNamed = request.headers[IDEMPOTENCY_HEADER] !== undefined
    if (isNamed && isShareable(request, gateway) && !(await run.share(request, gateway))) return
    const { record, callerConnection, holdLease } = run
    const deadlineAtMs = request.startedAtMs + gateway.retry.deadlineMs
    const isDry = isDryRun(request)
    const catalog = gateway.catalog.current()
    const reading = read(request, catalog, gateway)
    const exchange = reading instanceof Promise ? await reading : reading
    const rates = gateway.spending.limits.rateLimits(request.caller, exchange.route.publicName)
    const readLimits = rates.length === 0 ? undefined : () => gateway.spending.rates.status(rates)
    const writer = run.openWriter(exchange.scanned.stream, readLimits)
    record.model = exchange.route.publicName
    const planned = plan({ exchange, catalog }, gateway)
    record.plan = planned
    if (isDry) return writer.sendWhole(await describeRoute({ exchange, plan: planned }, gateway))
    const input = {
      ...{ exchange, catalog, record, writer, callerConnection, deadlineAtMs, holdLease },
      ...{ plan: planned, rates },
    }
    const admitting = admit(input, gateway)
    const admission = admitting instanceof Promise ? await admitting : admitting
    const outcome = admission.type === 'admitted' ? await attempt(input, admission, gateway) : admission
    recordOutcome(record, outcome)
    answer(outcome, writer, record)
  })
}

async function retrieve(request: RetrievalRequest, run: ExchangeRun, gateway: Gateway): Promise<void> {
  const { record, callerConnection } = run
  const writer = run.openWriter(request.stored.stream)
  const deadlineAtMs = request.startedAtMs + gateway.retry.deadlineMs
  const input = { request, writer, callerConnection, record, deadlineAtMs }
  const outcome = await serveStoredResponse(input, gateway)
  recordOutcome(record, outcome)
  answer(outcome, writer, record)
}

/** Sends a failure once the attempts are over; an answer went out as it came. */
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
  readonly #ownConnection: OwnedCallerConnection
  readonly #gateway: RunDependencies
  readonly #request: CallerRequest
  readonly #sink: ResponseSink
  /** The writer to its own caller. */
  #writer: ResponseWriter | undefined
  #shared: SharedAnswer | undefined
  #resolve: (() => void) | undefined
  #lease: RateLease | undefined

  constructor(gateway: RunDependencies, request: CallerRequest, sink: ResponseSink) {
    this.#gateway = gateway
    this.#request = request
    this.#sink = sink
    this.record = startRecord(request.startedAtMs, gateway.clock.monotonicMs())
    this.#ownConnection = createCallerConnection(sink, (error) => this.#breakOff(error))
  }

  carryOut(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      work().then(
        () => (this.#shared === undefined ? this.#end() : this.#endShared(this.#shared)),
        (error) => this.#breakOff(error),
      )
    })
  }

  /** The caller's connection; of a shared answer, the connections of all who wait for it. */
  get callerConnection(): CallerConnection {
    return this.#shared ?? this.#ownConnection
  }

  /**
   * Makes the request one with others of its idempotency key. False where the answer is that of another one,
   * and has been given; where it is not, that one ends with all who joined it.
   */
  async share(request: OperationRequest, dependencies: SharingDependencies): Promise<boolean> {
    const reader: WaitingCaller = {
      connection: this.#ownConnection,
      openWriter: (isStream) => this.#openOwnWriter(isStream),
      onFault: (error) => this.#breakOff(error),
    }
    const sharing = shareCall(request, dependencies)
    if (sharing.type === 'joins') {
      recordOutcome(this.record, await sharing.answer.join(reader))
      this.#recordReplay(sharing.answer)
      return false
    }
    const { call } = sharing.claim
    this.#shared = call
    call.lead(reader, sharing.claim)
    const stored = await findStoredAnswer(sharing)
    if (stored === undefined) return true
    this.openWriter(stored.kind === 'stream')
    call.replay(stored)
    recordOutcome(this.record, { type: 'answered' })
    this.#recordReplay(call)
    return false
  }

  #recordReplay({ modelName }: SharedAnswer): void {
    this.record.isReplay = true
    this.record.model = modelName
  }

  /** Keeps the lease of the rate limits that let the request through. */
  readonly holdLease = (lease: RateLease): void => {
    this.#lease = lease
    // The run may have ended while the request waited for it.
    if (this.#resolve === undefined) lease.release()
  }

  /** Writes to all who wait for the answer. */
  openWriter(isStream: boolean, readLimits?: () => readonly LimitStatus[]): ResponseWriter {
    const writer = this.#openOwnWriter(isStream, readLimits)
    this.#shared?.open(isStream, writer)
    return this.#shared ?? writer
  }

  #openOwnWriter(isStream: boolean, readLimits?: () => readonly LimitStatus[]): ResponseWriter {
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
      recordOutcome(this.record, outcome)
      const writer = this.#writer === undefined ? this.openWriter(false) : (this.#shared ?? this.#writer)
      answer(outcome, writer, this.record)
    } catch (second) {
      this.#gateway.reportFault('an error answer', second)
      this.#sink.cut()
    }
    this.#end()
    this.#ownConnection.abandon()
  }

  /** The call is over, and its own caller may still be reading. */
  async #endShared(shared: SharedAnswer): Promise<void> {
    shared.close()
    const outcome = await shared.ownerOutcome
    if (outcome?.type === 'caller-gone') recordOutcome(this.record, outcome)
    this.#end()
  }

  #end(): void {
    const resolve = this.#resolve
    if (resolve === undefined) return
    this.#resolve = undefined
    this.#lease?.addOutput(this.record.usage?.outputTokens ?? 0)
    this.#lease?.release()
    const { observer, reportFault } = this.#gateway
    try {
      this.#shared?.close()
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
  return causeOf(error)
}
