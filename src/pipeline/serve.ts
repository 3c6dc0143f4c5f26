import type { Caller } from '../access/key.ts'
import { failureOf } from '../canonical/failure.ts'
import type { OpenCapture } from '../capture/open-capture.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { RateLease } from '../metering/rates/rate-limiter.ts'
import type { LimitStatus } from '../wire/limit-status.ts'
import { type AdmitInput, admit } from './admit.ts'
import { attempt, type TargetCallInput } from './attempt.ts'
import { isDryRun } from './caller-access.ts'
import { endCapture, openCapture } from './capture-exchange.ts'
import { describeRoute } from './describe-route.ts'
import type { CallerRequest, OperationRequest, RetrievalRequest } from './exchange/caller-request.ts'
import type { Exchange } from './exchange/exchange.ts'
import type { ExchangeOutcome, ExchangeRecord } from './exchange/exchange-record.ts'
import type { Gateway } from './gateway.ts'
import type { WaitingCaller } from './idempotency/answer-follower.ts'
import { findStoredAnswer, IDEMPOTENCY_HEADER, isShareable, shareCall } from './idempotency/share-call.ts'
import type { SharedAnswer } from './idempotency/shared-answer.ts'
import { plan } from './plan.ts'
import { read } from './read.ts'
import { describeFault, recordOutcome, startRecord, writeRow } from './record-outcome.ts'
import {
  type CallerConnection,
  createCallerConnection,
  type OwnedCallerConnection,
} from './response/caller-connection.ts'
import { CapturedSink } from './response/captured-sink.ts'
import type { ResponseSink } from './response/response-sink.ts'
import { createResponseWriter, type ResponseWriter } from './response/response-writer.ts'
import type { RetrievalInput } from './retrieval/retrieval-input.ts'
import { serveStoredResponse } from './retrieval/serve-stored-response.ts'

/** A caller's request as the server holds it: its head is here, its key is not checked and its body not read. */
export interface IncomingRequest {
  /** The caller. Throws `GatewayError` where the request shows no valid key. */
  authenticate(): Caller
  /** The whole request. A promise only where its bytes are still to come; throws or rejects with `GatewayError`. */
  receive(caller: Caller): IncomingBody | Promise<IncomingBody>
}

export interface IncomingBody {
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
 * The life of a request: authenticate, read, plan, admit, attempt, record, answer. What the first step
 * throws, the server answers; what a later one throws, the run does. A step gives a promise only where it
 * waits: a turn of the queue costs more than a plan.
 */
async function serve(incoming: IncomingRequest, live: { readonly gateway: Gateway }): Promise<void> {
  const caller = incoming.authenticate()
  const receiving = incoming.receive(caller)
  const { request, sink } = receiving instanceof Promise ? await receiving : receiving
  const { gateway } = live
  const run = new ExchangeRun(gateway, request, sink)
  await run.execute(async () => {
    if (request.type === 'stored-response') return retrieve(request, run, gateway)
    const sharing = run.share(request)
    if (sharing !== undefined && (await sharing) === 'answered') return
    const isDry = isDryRun(request)
    const catalog = gateway.catalog.current()
    const reading = read(request, catalog, gateway)
    const exchange = reading instanceof Promise ? await reading : reading
    const call = run.openCall(exchange, catalog)
    const planned = plan(call, gateway)
    call.record.plan = planned
    if (isDry) return call.writer.sendWhole(await describeRoute({ exchange, plan: planned }, gateway))
    const admitting = admit({ ...call, plan: planned }, gateway)
    const admission = admitting instanceof Promise ? await admitting : admitting
    const outcome = admission.type === 'admitted' ? await attempt(call, admission, gateway) : admission
    recordOutcome(call.record, outcome)
    answer(outcome, call)
  })
}

async function retrieve(request: RetrievalRequest, run: ExchangeRun, gateway: Gateway): Promise<void> {
  const retrieval = run.openRetrieval(request)
  const outcome = await serveStoredResponse(retrieval, gateway)
  recordOutcome(retrieval.record, outcome)
  answer(outcome, retrieval)
}

/** Sends a failure once the attempts are over; an answer went out as it came. */
function answer(outcome: ExchangeOutcome, { writer, record }: Pick<Call, 'writer' | 'record'>): void {
  if (outcome.type === 'failed')
    writer.fail(outcome.failure, { 'x-headgate-attempts': String(record.attempts.length) })
}

/** A call with all that the steps from the plan on share. */
type Call = Omit<AdmitInput, 'plan'> & TargetCallInput

/** The receiver of a run's answer: its own caller, or all who wait for an answer of one idempotency key. */
type Audience = { readonly type: 'own-caller' } | { readonly type: 'shared'; readonly answer: SharedAnswer }

type ReadLimits = () => readonly LimitStatus[]

const ownCaller: Audience = { type: 'own-caller' }

/** One request under way. It ends once, whatever else of it still runs: with its answer, or with the first fault. */
class ExchangeRun {
  readonly #record: ExchangeRecord
  readonly #ownConnection: OwnedCallerConnection
  readonly #gateway: Gateway
  readonly #request: CallerRequest
  readonly #sink: ResponseSink
  /** Undefined where nothing of it is captured. */
  readonly #capture: OpenCapture | undefined
  readonly #ended = Promise.withResolvers<void>()
  #hasEnded = false
  #audience = ownCaller
  /** The writer to its own caller; undefined until it is known what is asked, or that it fails. */
  #writer: ResponseWriter | undefined
  /** Undefined where no rate limit applies, or none has let the request through. */
  #lease: RateLease | undefined

  constructor(gateway: Gateway, request: CallerRequest, sink: ResponseSink) {
    this.#gateway = gateway
    this.#request = request
    this.#capture = openCapture(request, gateway)
    this.#sink = this.#capture === undefined ? sink : new CapturedSink(sink, this.#capture)
    this.#record = startRecord(request.startedAtMs, gateway.clock.monotonicMs())
    this.#ownConnection = createCallerConnection(this.#sink, (error) => this.#breakOff(error))
  }

  /** Fulfilled when the run ends, be that before the work does. */
  execute(work: () => Promise<void>): Promise<void> {
    work().then(
      () => (this.#audience.type === 'own-caller' ? this.#end() : this.#endShared(this.#audience.answer)),
      (error) => this.#breakOff(error),
    )
    return this.#ended.promise
  }

  /** Makes the request one with others of its idempotency key; undefined where it has none that counts. */
  share(request: OperationRequest): Promise<'answered' | 'unanswered'> | undefined {
    const isNamed = request.headers[IDEMPOTENCY_HEADER] !== undefined
    return isNamed && isShareable(request, this.#gateway) ? this.#share(request) : undefined
  }

  /** Opens the way of the answer, now that it is known what is asked. */
  openCall(exchange: Exchange, catalog: Catalog): Call {
    const { spending } = this.#gateway
    const { publicName } = exchange.route
    const rates = spending.limits.rateLimits(this.#request.caller, publicName)
    const readLimits = rates.length === 0 ? undefined : () => spending.rates.status(rates)
    const writer = this.#openWriter(exchange.scanned.isStream, readLimits)
    this.#record.model = publicName
    return {
      exchange,
      catalog,
      rates,
      writer,
      record: this.#record,
      callerConnection: this.#callerConnection,
      deadlineAtMs: this.#deadlineAtMs,
      holdLease: (lease) => this.#holdLease(lease),
    }
  }

  openRetrieval(request: RetrievalRequest): RetrievalInput {
    return {
      request,
      writer: this.#openWriter(request.stored.isStream),
      record: this.#record,
      callerConnection: this.#callerConnection,
      deadlineAtMs: this.#deadlineAtMs,
    }
  }

  get #deadlineAtMs(): number {
    return this.#request.startedAtMs + this.#gateway.retry.deadlineMs
  }

  /** The connection of the caller, or those of all who wait for the answer. */
  get #callerConnection(): CallerConnection {
    return this.#audience.type === 'shared' ? this.#audience.answer : this.#ownConnection
  }

  /** Joins the call of another request, repeats its stored answer, or leads the call: only that is unanswered. */
  async #share(request: OperationRequest): Promise<'answered' | 'unanswered'> {
    const reader: WaitingCaller = {
      connection: this.#ownConnection,
      openWriter: (isStream) => this.#openOwnWriter(isStream),
      onFault: (error) => this.#breakOff(error),
    }
    const sharing = shareCall(request, this.#gateway)
    if (sharing.type === 'joins') {
      recordOutcome(this.#record, await sharing.answer.join(reader))
      this.#recordReplay(sharing.answer)
      return 'answered'
    }
    const { call } = sharing.claim
    this.#audience = { type: 'shared', answer: call }
    call.lead(reader, sharing.claim)
    const stored = await findStoredAnswer(sharing)
    if (stored === undefined) return 'unanswered'
    this.#openWriter(stored.kind === 'stream')
    call.replay(stored)
    recordOutcome(this.#record, { type: 'answered' })
    this.#recordReplay(call)
    return 'answered'
  }

  #recordReplay({ modelName }: SharedAnswer): void {
    this.#record.isReplay = true
    this.#record.model = modelName
  }

  /** Holds the lease of the rate limits that let the request through, until the run ends. */
  #holdLease(lease: RateLease): void {
    // The run may have ended while the request waited for it.
    if (this.#hasEnded) lease.release()
    else this.#lease = lease
  }

  /** Writes to all who wait for the answer. */
  #openWriter(isStream: boolean, readLimits?: ReadLimits): ResponseWriter {
    const writer = this.#openOwnWriter(isStream, readLimits)
    if (this.#audience.type === 'shared') this.#audience.answer.open(isStream, writer)
    return this.#answering(writer)
  }

  #openOwnWriter(isStream: boolean, readLimits?: ReadLimits): ResponseWriter {
    const { clock, watch, heartbeat } = this.#gateway
    const { format, requestId } = this.#request
    this.#record.isStream = isStream
    this.#writer = createResponseWriter({
      sink: this.#sink,
      format,
      requestId,
      clock,
      watch,
      readLimits,
      heartbeat: isStream ? heartbeat : undefined,
      onFault: (error) => this.#breakOff(error),
    })
    return this.#writer
  }

  /** Something of ours threw: the caller gets an error, the row its stack, and what still runs is given up. */
  #breakOff(error: unknown): void {
    if (this.#hasEnded) return
    const outcome = { type: 'failed', failure: failureOf(error) } as const
    this.#record.cause = describeFault(error)
    try {
      recordOutcome(this.#record, outcome)
      const writer = this.#writer === undefined ? this.#openWriter(false) : this.#answering(this.#writer)
      answer(outcome, { writer, record: this.#record })
    } catch (second) {
      this.#gateway.reportFault('an error answer', second)
      this.#sink.cut()
    }
    this.#end()
    this.#ownConnection.abandon()
  }

  #answering(writer: ResponseWriter): ResponseWriter {
    return this.#audience.type === 'shared' ? this.#audience.answer : writer
  }

  /** The call is over, and its own caller may still be reading. */
  async #endShared(shared: SharedAnswer): Promise<void> {
    shared.close()
    const outcome = await shared.ownerOutcome
    if (outcome?.type === 'caller-gone') recordOutcome(this.#record, outcome)
    this.#end()
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { observer, reportFault } = this.#gateway
    try {
      using lease = this.#lease
      lease?.addOutput(this.#record.usage?.outputTokens ?? 0)
      if (this.#audience.type === 'shared') this.#audience.answer.close()
      this.#writer?.close()
      const ended = { request: this.#request, record: this.#record, writer: this.#writer }
      const row = writeRow(ended, this.#gateway)
      observer.requestEnded(row)
      if (this.#request.type === 'operation') this.#request.onEnded?.(row)
      if (this.#capture !== undefined) endCapture(this.#capture, row, this.#gateway)
    } catch (error) {
      reportFault('the end of a request', error)
    }
    this.#ended.resolve()
  }
}
