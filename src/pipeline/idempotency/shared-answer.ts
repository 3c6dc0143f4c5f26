import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { IdempotentAnswer } from '../../stored-answers/idempotency-store.ts'
import type { CallClaim } from '../../stored-answers/idempotent-calls.ts'
import type { AnswerHold } from '../exchange/answer-budget.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { CallerConnection, CallerListeners } from '../response/caller-connection.ts'
import type { ResponseWriter, WholeAnswer } from '../response/response-writer.ts'
import { AnswerFollower, type SharedParts, type WaitingCaller } from './answer-follower.ts'

type Headers = Readonly<Record<string, string>>

export interface SharedAnswerOptions {
  readonly fingerprint: string
  /** Reserves room for the bytes that are held for later requests and for the store. */
  readonly hold: AnswerHold
  readonly maxBytes: number
}

/**
 * The answer of a call for which several requests wait. For the call it acts as its only caller. For each request it is
 * a stream from the first byte. All of it is held, so that no caller holds up another, until it is too long to be
 * stored. From then on no request can join, and the upstream is paused while the slowest caller catches up.
 */
export class SharedAnswer implements ResponseWriter, CallerConnection, SharedParts {
  readonly #options: SharedAnswerOptions
  readonly #followers = new Set<AnswerFollower>()
  #claim: Pick<CallClaim<SharedAnswer>, 'end'> | undefined
  #owner: AnswerFollower | undefined
  #isStream: boolean | undefined
  #listeners: CallerListeners | undefined
  #isStopped = false
  /** Whether all of the answer so far is in memory. */
  #isWhole = true
  #bytes = 0
  isGone = false
  isReplay = false
  hasContent = false
  headers: Headers = {}
  parts: Buffer[] = []
  dropped = 0
  ending: SharedParts['ending']

  constructor(options: SharedAnswerOptions) {
    this.#options = options
  }

  /** Whether a new request can still get the whole answer. */
  get canJoin(): boolean {
    return this.#isWhole
  }

  /** Whether no request waits for the answer any longer, or the process must end. */
  get isGivenUp(): boolean {
    return this.isGone || this.#isStopped
  }

  get hasStarted(): boolean {
    return this.#owner?.writer?.hasStarted ?? false
  }

  get statusSent(): number | undefined {
    return this.#owner?.writer?.statusSent
  }

  get bytesSent(): number {
    return this.#owner?.writer?.bytesSent ?? 0
  }

  /** The public name of the model that answers, once it is known. */
  get modelName(): string | undefined {
    const headers = this.ending?.type === 'whole' ? this.ending.answer.headers : this.headers
    return headers['x-headgate-model']
  }

  /** Adds the request that leads the call. */
  lead(reader: WaitingCaller, claim: Pick<CallClaim<SharedAnswer>, 'end'>): void {
    this.#claim = claim
    this.#owner = this.#follow(reader, true)
  }

  /** Resolves when the caller of the leading request has the answer, or has disconnected. */
  get ownerOutcome(): Promise<ExchangeOutcome> | undefined {
    return this.#owner?.outcome
  }

  /** Adds another request. Resolves when its caller has the answer. */
  join(reader: WaitingCaller): Promise<ExchangeOutcome> {
    const follower = this.#follow(reader, false)
    if (this.#isStream !== undefined) this.#openFor(follower, this.#isStream)
    return follower.outcome
  }

  /** Opens the answer once the call is known. `writer` belongs to the request that leads the call. */
  open(isStream: boolean, writer: ResponseWriter): void {
    this.#isStream = isStream
    for (const follower of [...this.#followers]) {
      if (follower === this.#owner) follower.writer = writer
      else this.#openFor(follower, isStream)
    }
  }

  /** Sends a stored answer to all waiting requests. */
  replay({ kind, status, headers, body }: IdempotentAnswer): void {
    this.isReplay = true
    this.#claim?.end(undefined)
    this.hasContent = true
    this.headers = headers
    if (kind === 'stream') this.parts = [body]
    this.#finish(kind === 'stream' ? { type: 'end' } : { type: 'whole', answer: { status, headers, body } })
  }

  listen(listeners: CallerListeners): void {
    this.#listeners = listeners
    if (this.isGone) listeners.onGone()
    else if (this.#isStopped) listeners.onStop()
  }

  prepareHead(streamHeaders?: Headers): void {
    this.#owner?.writer?.prepareHead(streamHeaders)
  }

  writeStream(bytes: Buffer | string, headers: Headers): boolean {
    if (!this.hasContent) this.headers = headers
    this.hasContent = true
    // The bytes are copied, since a view would retain the whole buffer that the socket read.
    this.parts.push(Buffer.from(bytes))
    this.#bytes += Buffer.byteLength(bytes)
    if (this.#isWhole) this.#isWhole = this.#hasRoom()
    this.#pumpAll()
    if (this.#isWhole) return true
    this.#dropFullyRead()
    return !this.#isHeldUp()
  }

  endStream(): void {
    this.#claim?.end(this.#isWhole ? this.#writeStored() : undefined)
    this.#finish({ type: 'end' })
  }

  sendWhole(answer: WholeAnswer): void {
    const { status, headers } = answer
    const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
    const isGood = status >= 200 && status < 300 && body.length <= this.#options.maxBytes
    const { fingerprint } = this.#options
    const stored = { fingerprint, kind: 'whole' as const, status, headers: storedHeaders(headers), body }
    this.#claim?.end(isGood ? stored : undefined)
    this.#finish({ type: 'whole', answer })
  }

  fail(failure: Failure, headers: Headers): void {
    this.#claim?.end(undefined)
    this.#finish({ type: 'failed', failure, headers })
  }

  /** Ends the answer once the call is over. Requests that still wait get an error. */
  close(): void {
    if (this.ending === undefined) this.fail(createFailure('internal_error'), {})
  }

  #follow(reader: WaitingCaller, isOwner: boolean): AnswerFollower {
    const follower = new AnswerFollower({ reader, shared: this, isOwner })
    this.#followers.add(follower)
    reader.connection.listen({
      onDrain: () => this.#onDrain(follower),
      onGone: () => this.#leave(follower),
      onStop: () => this.#onStop(follower),
    })
    return follower
  }

  #openFor(follower: AnswerFollower, isStream: boolean): void {
    follower.open(isStream)
    this.#pump(follower)
  }

  #finish(ending: SharedParts['ending']): void {
    if (this.ending !== undefined) return
    this.ending = ending
    this.#pumpAll()
  }

  #pumpAll(): void {
    for (const follower of [...this.#followers]) this.#pump(follower)
  }

  #pump(follower: AnswerFollower): void {
    follower.pump()
    if (!follower.isOver) return
    this.#followers.delete(follower)
    if (this.#followers.size === 0 && this.ending !== undefined) this.#options.hold.release()
  }

  #onDrain(follower: AnswerFollower): void {
    follower.isBlocked = false
    this.#pump(follower)
    if (this.#isWhole || this.ending !== undefined) return
    this.#dropFullyRead()
    if (!this.#isHeldUp()) this.#call('onDrain')
  }

  #isHeldUp(): boolean {
    for (const { isBlocked } of this.#followers) if (isBlocked) return true
    return false
  }

  #leave(follower: AnswerFollower): void {
    follower.end({ type: 'caller-gone' })
    this.#followers.delete(follower)
    if (this.#followers.size > 0 && this.ending === undefined) {
      this.#onDrain(follower)
      return
    }
    if (this.#followers.size === 0) this.#options.hold.release()
    if (this.isGone) return
    // The name is released before the call is notified, so that no request joins a call that ends.
    this.isGone = true
    this.#claim?.end(undefined)
    this.#call('onGone')
  }

  /**
   * Called when the process must end. A call in progress fails, and callers that still read a complete answer get an
   * error.
   */
  #onStop(follower: AnswerFollower): void {
    if (this.ending !== undefined) {
      follower.fail(createFailure('shutting_down'), {})
      this.#followers.delete(follower)
    } else if (!this.#isStopped) {
      this.#isStopped = true
      this.#call('onStop')
    }
  }

  /**
   * Calls the listeners. An error that a listener throws is a fault of the call, not of the caller that caused the
   * event.
   */
  #call(event: keyof CallerListeners): void {
    try {
      this.#listeners?.[event]()
    } catch (error) {
      this.#owner?.fault(error)
    }
  }

  #writeStored(): IdempotentAnswer {
    const { fingerprint } = this.#options
    const headers = storedHeaders(this.headers)
    return { fingerprint, kind: 'stream', status: 200, headers, body: Buffer.concat(this.parts) }
  }

  #hasRoom(): boolean {
    const { hold, maxBytes } = this.#options
    return this.#bytes <= maxBytes && hold.resize(this.#bytes)
  }

  #dropFullyRead(): void {
    let lowest = this.dropped + this.parts.length
    for (const { position } of this.#followers) lowest = Math.min(lowest, position)
    for (const part of this.parts.splice(0, lowest - this.dropped)) this.#bytes -= part.length
    this.dropped = lowest
    this.#options.hold.resize(this.#bytes)
  }
}

/** The headers that describe the answer itself. Other headers describe one moment and are not stored. */
function storedHeaders(headers: Headers): Headers {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('x-headgate-')),
  )
}
