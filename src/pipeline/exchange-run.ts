import { type Failure, failureOf } from '../canonical/failure.ts'
import type { OpenCapture } from '../capture/open-capture.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { RateLimit } from '../metering/rate-limit.ts'
import type { RateLease } from '../metering/rates/rate-limiter.ts'
import type { Plan } from '../routing/plan-attempts.ts'
import type { RequestRow } from '../telemetry/observer.ts'
import type { LimitStatus } from '../wire/limit-status.ts'
import type { AdmitInput } from './admit.ts'
import { AttemptLog } from './attempt/attempt-log.ts'
import type { AttemptLoopInput } from './attempt.ts'
import { endCapture, openCapture } from './capture-exchange.ts'
import type { CallerRequest, OperationRequest } from './exchange/caller-request.ts'
import type { Exchange } from './exchange/exchange.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import { TimeAccount } from './exchange/time-account.ts'
import type { Gateway } from './gateway.ts'
import type { WaitingCaller } from './idempotency/answer-follower.ts'
import { findStoredAnswer, IDEMPOTENCY_HEADER, isShareable, shareCall } from './idempotency/share-call.ts'
import type { SharedAnswer } from './idempotency/shared-answer.ts'
import {
  type CallerConnection,
  createCallerConnection,
  type OwnedCallerConnection,
} from './response/caller-connection.ts'
import { CapturedSink } from './response/captured-sink.ts'
import type { ResponseSink } from './response/response-sink.ts'
import {
  createResponseWriter,
  type PassthroughWriter,
  type ResponseWriter,
  type WholeAnswer,
} from './response/response-writer.ts'
import { sendWhole } from './response/send-whole.ts'
import { countUsage } from './spending/acquire-rate.ts'
import { describeFault, endingWith, notEnded, writeRow } from './write-row.ts'

/** A call with everything that the steps from the plan on share. */
export type Call = Omit<AdmitInput, 'plan'> & AttemptLoopInput

/** The receivers of a run's answer: its own caller, or all callers that wait for the answer of one idempotency key. */
type Audience = { readonly type: 'own-caller' } | { readonly type: 'shared'; readonly answer: SharedAnswer }

type ReadLimits = () => readonly LimitStatus[]
type UnsharedCallOptions = { readonly isStream?: boolean; readonly rates?: readonly RateLimit[] }

const ownCaller: Audience = { type: 'own-caller' }

/** One request in progress. It ends once, with its answer or with the first fault, even if other work still runs. */
export class ExchangeRun {
  readonly #times: TimeAccount
  readonly #attempts: AttemptLog
  readonly #ownConnection: OwnedCallerConnection
  readonly #gateway: Gateway
  readonly #request: CallerRequest
  readonly #sink: ResponseSink
  /** Undefined where no part of the exchange is captured. */
  readonly #capture: OpenCapture | undefined
  readonly #ended = Promise.withResolvers<void>()
  #hasEnded = false
  #audience = ownCaller
  /** The public name of the model, set once the model is known to exist. */
  #model: string | undefined
  #isStream = false
  /** Whether the answer comes from another request with the same idempotency key. */
  #isReplay = false
  /** The last plan; undefined if no plan was made. */
  #plan: Plan | undefined
  #ending = notEnded
  /** The writer to the run's own caller; undefined until the request is understood or has failed. */
  #writer: ResponseWriter | undefined
  /** Undefined where no rate limit applies, or before the rate limits have let the request through. */
  #lease: RateLease | undefined

  constructor(gateway: Gateway, request: CallerRequest, sink: ResponseSink) {
    this.#gateway = gateway
    this.#request = request
    this.#capture = openCapture(request, gateway)
    this.#sink = this.#capture === undefined ? sink : new CapturedSink(sink, this.#capture)
    this.#times = new TimeAccount(request.startedAtMs, gateway.clock.monotonicMs())
    this.#attempts = new AttemptLog(this.#times)
    this.#ownConnection = createCallerConnection(this.#sink, (error) => this.#breakOff(error))
  }

  /** Runs the work of the request. The promise is fulfilled when the run ends, which can be before `work` ends. */
  execute(work: () => Promise<void>): Promise<void> {
    work()
      .then(() =>
        this.#audience.type === 'own-caller' ? this.#end() : this.#endShared(this.#audience.answer),
      )
      .catch((error: unknown) => this.#breakOff(error))
    return this.#ended.promise
  }

  /** Joins the request with others of its idempotency key; undefined where it has none or the key does not apply. */
  share(request: OperationRequest): Promise<'answered' | 'unanswered'> | undefined {
    const isNamed = request.headers[IDEMPOTENCY_HEADER] !== undefined
    return isNamed && isShareable(request, this.#gateway) ? this.#share(request) : undefined
  }

  /** Opens the writer of the answer, once the exchange is known. */
  openCall(exchange: Exchange, catalog: Catalog): Call {
    const { publicName } = exchange.route
    const rates = this.#gateway.spending.limits.rateLimits(this.#request.caller, publicName)
    const writer = this.#openWriter(exchange.scanned.isStream, this.#limitsOf(rates))
    this.#model = publicName
    return {
      exchange,
      catalog,
      rates,
      writer,
      times: this.#times,
      attempts: this.#attempts,
      callerConnection: this.#callerConnection,
      deadlineAtMs: this.#deadlineAtMs,
      holdLease: (lease) => this.#holdLease(lease),
    }
  }

  /** Opens the writer of an answer that only the run's own caller gets. */
  openUnsharedCall({ isStream = false, rates = [] }: UnsharedCallOptions) {
    return {
      writer: this.#openOwnWriter(isStream, this.#limitsOf(rates)),
      attempts: this.#attempts,
      callerConnection: this.#ownConnection,
      deadlineAtMs: this.#deadlineAtMs,
      holdLease: (lease: RateLease) => this.#holdLease(lease),
      recordModel: (publicName: string) => this.recordModel(publicName),
      recordPlan: (plan: Plan) => this.recordPlan(plan),
    }
  }

  recordPlan(plan: Plan): void {
    this.#plan = plan
  }

  recordModel(publicName: string | undefined): void {
    this.#model = publicName
  }

  /** Records how the request ended, and sends a failure. A successful answer was already sent during the attempts. */
  answer(outcome: ExchangeOutcome, { writer }: Pick<Call, 'writer'>): void {
    this.recordOutcome(outcome)
    if (outcome.type === 'failed') this.#sendFailure(outcome.failure, writer)
  }

  /** Sends an answer for which no provider was called. */
  answerWhole(reply: WholeAnswer, call: Pick<Call, 'writer' | 'callerConnection'>): void {
    this.recordOutcome(sendWhole(call, reply))
  }

  /** Records how a request ended. The answer has been sent already. */
  recordOutcome(outcome: ExchangeOutcome): void {
    this.#ending = endingWith(outcome)
  }

  #sendFailure(failure: Failure, writer: ResponseWriter): void {
    writer.fail(failure, { 'x-headgate-attempts': String(this.#attempts.rows.length) })
  }

  get #deadlineAtMs(): number {
    return this.#request.startedAtMs + this.#gateway.retry.deadlineMs
  }

  /** The connection of the caller, or of all callers that wait for the answer. */
  get #callerConnection(): CallerConnection {
    return this.#audience.type === 'shared' ? this.#audience.answer : this.#ownConnection
  }

  /** Joins another request's call, repeats its stored answer, or leads the call. Only the last is `unanswered`. */
  async #share(request: OperationRequest): Promise<'answered' | 'unanswered'> {
    const reader: WaitingCaller = {
      connection: this.#ownConnection,
      openWriter: (isStream) => this.#openOwnWriter(isStream),
      onFault: (error) => this.#breakOff(error),
    }
    const sharing = shareCall(request, this.#gateway)
    if (sharing.type === 'joins') {
      this.recordOutcome(await sharing.answer.join(reader))
      this.#recordReplay(sharing.answer)
      return 'answered'
    }
    const { call } = sharing.claim
    this.#audience = { type: 'shared', answer: call }
    call.lead(reader, sharing.claim)
    const { clock } = this.#gateway
    const stored = await findStoredAnswer(sharing, { clock, deadlineAtMs: this.#deadlineAtMs })
    if (stored === undefined) return 'unanswered'
    this.#openWriter(stored.kind === 'stream')
    call.replay(stored)
    this.recordOutcome({ type: 'answered' })
    this.#recordReplay(call)
    return 'answered'
  }

  #recordReplay({ modelName }: SharedAnswer): void {
    this.#isReplay = true
    this.recordModel(modelName)
  }

  /** Holds the lease of the rate limits until the run ends. */
  #holdLease(lease: RateLease): void {
    // The run may have ended while the request waited for the lease.
    if (this.#hasEnded) lease.release()
    else this.#lease = lease
  }

  #limitsOf(rates: readonly RateLimit[]): ReadLimits | undefined {
    return rates.length === 0 ? undefined : () => this.#gateway.spending.rates.status(rates)
  }

  /** Opens the writer to all callers that wait for the answer. */
  #openWriter(isStream: boolean, readLimits?: ReadLimits): ResponseWriter {
    const writer = this.#openOwnWriter(isStream, readLimits)
    if (this.#audience.type === 'shared') this.#audience.answer.open(isStream, writer)
    return this.#audienceWriter(writer)
  }

  #openOwnWriter(isStream: boolean, readLimits?: ReadLimits): PassthroughWriter {
    const { clock, watch, heartbeat } = this.#gateway
    const { format, requestId } = this.#request
    this.#isStream = isStream
    const writer = createResponseWriter({
      sink: this.#sink,
      format,
      requestId,
      clock,
      watch,
      readLimits,
      heartbeat: isStream ? heartbeat : undefined,
      onFault: (error) => this.#breakOff(error),
    })
    this.#writer = writer
    return writer
  }

  /** Ends the run after a fault of the gateway: an error for the caller, the stack for the row. Work is abandoned. */
  #breakOff(error: unknown): void {
    if (this.#hasEnded) return
    const failure = failureOf(error)
    this.#ending = { outcome: { type: 'failed', failure }, cause: describeFault(error) ?? failure.logCause }
    try {
      const writer = this.#writer === undefined ? this.#openWriter(false) : this.#audienceWriter(this.#writer)
      this.#sendFailure(failure, writer)
    } catch (second) {
      this.#gateway.reportFault('an error answer', second)
      this.#sink.cut()
    }
    this.#end()
    this.#ownConnection.abandon()
  }

  #audienceWriter(writer: ResponseWriter): ResponseWriter {
    return this.#audience.type === 'shared' ? this.#audience.answer : writer
  }

  /** Ends the run when the shared call is over. The run's own caller may still be reading then. */
  async #endShared(shared: SharedAnswer): Promise<void> {
    shared.close()
    const outcome = await shared.ownerOutcome
    if (outcome?.type === 'caller-gone') this.#ending = { outcome, cause: this.#ending.cause }
    this.#end()
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { observer, reportFault } = this.#gateway
    try {
      countUsage(this.#lease, this.#attempts.usage)
      if (this.#audience.type === 'shared') this.#audience.answer.close()
      this.#writer?.close()
      const row = this.#writeRow()
      observer.requestEnded(row)
      if (this.#request.type === 'operation') this.#request.onEnded?.(row)
      if (this.#capture !== undefined) endCapture(this.#capture, row, this.#gateway)
    } catch (error) {
      reportFault('the end of a request', error)
    }
    this.#ended.resolve()
    this.#lease?.release()
  }

  #writeRow(): RequestRow {
    return writeRow(
      {
        request: this.#request,
        model: this.#model,
        isStream: this.#isStream,
        isReplay: this.#isReplay,
        plan: this.#plan,
        times: this.#times,
        attempts: this.#attempts,
        ending: this.#ending,
        writer: this.#writer,
      },
      this.#gateway,
    )
  }
}
