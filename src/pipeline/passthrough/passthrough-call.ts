import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Timeouts } from '../../catalog/channel.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Redactor } from '../../telemetry/redact.ts'
import type { TransportFault } from '../../upstream/transport-fault.ts'
import type {
  Upstream,
  UpstreamFlow,
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from '../../upstream/upstream.ts'
import { type AttemptPhase, ERROR_TEXT_MS } from '../attempt/attempt-deadlines.ts'
import { failureOfFault, failureOfTimeout } from '../attempt/transport-failure.ts'
import type { UnreadBody } from '../exchange/caller-request.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { DeadlineWatch, WatchEntry, Watched } from '../response/deadline-watch.ts'

/** The receiver of an answer to a call that the provider accepted. */
export interface PassedAnswer {
  begin(status: number, headers: UpstreamHeaders): void
  /** Returns false if the sender should wait until the caller has read. */
  write(chunk: Buffer): boolean
}

export interface PassthroughCallInput {
  readonly request: UpstreamRequest
  readonly answer: PassedAnswer
  readonly unread: UnreadBody | undefined
  readonly timeouts: Timeouts
  readonly callerConnection: CallerConnection
  readonly upstream: Upstream
  readonly clock: Clock
  readonly watch: DeadlineWatch
  readonly redactor: Redactor
}

/** The end of a call, with the facts that are known. */
export interface PassthroughEnd {
  readonly outcome: PassthroughOutcome
  readonly status: number | undefined
  /** Whether the whole request was sent. From then on the provider may accept it. */
  readonly isSent: boolean
  readonly headMs: number | undefined
  readonly totalMs: number
}

export type PassthroughOutcome =
  /** The whole answer was sent to the caller. */
  | { readonly type: 'passed' }
  /** The provider answered with an error or a redirect. Nothing was sent to the caller yet. */
  | { readonly type: 'refused'; readonly headers: UpstreamHeaders; readonly body: Buffer }
  | { readonly type: 'failed'; readonly failure: Failure; readonly cause: string | undefined }
  | { readonly type: 'caller-gone' }

/** The maximum size of an error. Errors have at most a page, and the rest is dropped. */
const MAX_ERROR_BYTES = 256 * 1024
/** The silence between two bytes after which a connection is closed, where the operator sets no other. */
const DEFAULT_IDLE_MS = 300_000

/** Makes a call once, and passes its answer on as it arrives. Never rejects. */
export function callPassthrough(input: PassthroughCallInput): Promise<PassthroughEnd> {
  return new PassthroughCall(input).run()
}

class PassthroughCall implements UpstreamListener, Watched {
  readonly #input: PassthroughCallInput
  readonly #ended = Promise.withResolvers<PassthroughEnd>()
  readonly #startedAtMs: number
  #entry: WatchEntry | undefined
  #flow: UpstreamFlow | undefined
  #status: number | undefined
  #headMs: number | undefined
  #headers: UpstreamHeaders = {}
  readonly #error: Buffer[] = []
  #errorBytes = 0
  /** The last time at which the provider sent something, or the caller began to read again. */
  #movedAtMs: number
  #movedBytes = 0
  #isSent = false
  #isPaused = false
  #isOver = false

  constructor(input: PassthroughCallInput) {
    this.#input = input
    this.#startedAtMs = input.clock.monotonicMs()
    this.#movedAtMs = this.#startedAtMs
  }

  run(): Promise<PassthroughEnd> {
    const { request, upstream, watch, callerConnection } = this.#input
    this.#entry = watch.add(this)
    callerConnection.listen({
      onDrain: () => this.#resume(),
      onGone: () => this.#stop({ type: 'caller-gone' }),
      onStop: () => this.#fail(createFailure('shutting_down')),
    })
    if (this.#isOver) return this.#ended.promise
    const flow = upstream.call(request, this)
    this.#flow = flow
    if (this.#isOver) flow.abort()
    return this.#ended.promise
  }

  onSent(): void {
    this.#isSent = true
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    if (this.#isOver) return
    const { clock, answer } = this.#input
    this.#movedAtMs = clock.monotonicMs()
    this.#headMs = this.#movedAtMs - this.#startedAtMs
    this.#status = status
    this.#headers = headers
    if (isAccepted(status)) answer.begin(status, headers)
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return
    const { clock, answer } = this.#input
    this.#movedAtMs = clock.monotonicMs()
    if (!isAccepted(this.#status ?? 0)) this.#keepError(chunk)
    else if (!answer.write(chunk)) this.#pause()
  }

  onEnd(): void {
    if (isAccepted(this.#status ?? 0)) this.#finish({ type: 'passed' })
    else this.#finish(this.#refusal)
  }

  onFault(fault: TransportFault): void {
    const { unread, callerConnection, redactor } = this.#input
    if (unread?.fault !== undefined) {
      this.#finish({ type: 'failed', failure: unread.fault.failure, cause: undefined })
    } else if (callerConnection.isGone) {
      this.#finish({ type: 'caller-gone' })
    } else if (this.#isRefused && fault.kind !== 'unreadable') {
      // The status says what happened, even if the rest of the error is lost.
      this.#finish(this.#refusal)
    } else {
      const hasHead = this.#status !== undefined
      const failure = failureOfFault(fault, { isStream: true, hasHead })
      this.#finish({ type: 'failed', failure, cause: redactor.redact(fault.message) })
    }
  }

  look(nowMs: number): void {
    const { unread } = this.#input
    if (this.#isOver) return
    // A body that is still being sent is progress, and its own reader watches its pace.
    const bytes = unread?.bytesRead ?? 0
    if (bytes !== this.#movedBytes) this.#movedAtMs = nowMs
    this.#movedBytes = bytes
    const phase = this.#findExpired(nowMs)
    if (phase === undefined) return
    if (this.#isRefused) this.#stop(this.#refusal)
    else this.#fail(failureOfTimeout(phase))
  }

  #findExpired(nowMs: number): AttemptPhase | undefined {
    const { timeouts } = this.#input
    const hasHead = this.#status !== undefined
    const idleMs = hasHead ? (timeouts.idleMs ?? DEFAULT_IDLE_MS) : this.#headersMs
    const sinceStartMs = nowMs - this.#startedAtMs
    if (sinceStartMs >= timeouts.totalMs) return 'total'
    if (this.#isRefused && sinceStartMs - (this.#headMs ?? 0) >= ERROR_TEXT_MS) return 'idle'
    const isSilent = !this.#isPaused && nowMs - this.#movedAtMs >= idleMs
    return isSilent ? (hasHead ? 'idle' : 'headers') : undefined
  }

  onError(): void {
    this.#fail(createFailure('internal_error'))
  }

  get #headersMs(): number {
    const { headersMs, wholeHeadersMs } = this.#input.timeouts
    return headersMs ?? wholeHeadersMs
  }

  /** Whether the provider answered with an error or a redirect. */
  get #isRefused(): boolean {
    return this.#status !== undefined && !isAccepted(this.#status)
  }

  /** The provider's error, with the part of its text that arrived. */
  get #refusal(): PassthroughOutcome {
    return { type: 'refused', headers: this.#headers, body: Buffer.concat(this.#error) }
  }

  #pause(): void {
    this.#isPaused = true
    this.#flow?.pause()
  }

  #resume(): void {
    if (this.#isOver || !this.#isPaused) return
    this.#isPaused = false
    this.#movedAtMs = this.#input.clock.monotonicMs()
    this.#flow?.resume()
  }

  #keepError(chunk: Buffer): void {
    this.#errorBytes += chunk.length
    if (this.#errorBytes <= MAX_ERROR_BYTES) this.#error.push(chunk)
  }

  #fail(failure: Failure): void {
    this.#stop({ type: 'failed', failure, cause: undefined })
  }

  #stop(outcome: PassthroughOutcome): void {
    if (this.#finish(outcome)) this.#flow?.abort()
  }

  #finish(outcome: PassthroughOutcome): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    const { watch, clock } = this.#input
    if (this.#entry !== undefined) watch.remove(this.#entry)
    const totalMs = clock.monotonicMs() - this.#startedAtMs
    const facts = { status: this.#status, isSent: this.#isSent, headMs: this.#headMs }
    this.#ended.resolve({ outcome, ...facts, totalMs })
    return true
  }
}

const NOT_MODIFIED = 304

/**
 * Whether the answer is passed on unchanged. Redirects are neither followed nor passed on, since they would name
 * another host.
 */
function isAccepted(status: number): boolean {
  return (status >= 200 && status < 300) || status === NOT_MODIFIED
}
