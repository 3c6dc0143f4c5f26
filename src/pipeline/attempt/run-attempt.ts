import { createFailure, failureOf } from '../../canonical/failure.ts'
import { joinMembers } from '../../kit/collections/add-members.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { stackOf } from '../../kit/errors/stack-of.ts'
import { unreachable } from '../../kit/errors/unreachable.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { faultOfThrown } from '../../upstream/call-handler.ts'
import type { TransportFault } from '../../upstream/transport-fault.ts'
import type { UpstreamHeaders, UpstreamListener } from '../../upstream/upstream.ts'
import type { AnswerHold } from '../exchange/answer-budget.ts'
import { runInSteps } from '../relay/answer-steps.ts'
import { HeldParts, joinSmallParts } from '../relay/join-parts.ts'
import type { StreamParts, StreamRelay } from '../relay/stream-relay.ts'
import type { CallerListeners } from '../response/caller-connection.ts'
import type { WatchEntry, Watched } from '../response/deadline-watch.ts'
import { discardingWriter } from '../response/discarding-writer.ts'
import { noPassedHeaders, passAnswerHeaders } from '../response/pass-answer-headers.ts'
import { createAnswerReader } from './answer-reader.ts'
import { type AttemptBounds, type AttemptProgress, createBounds, findExpired } from './attempt-deadlines.ts'
import type { AttemptInput } from './attempt-input.ts'
import {
  type AttemptEnding,
  type AttemptOutcome,
  type CallPhase,
  describeAttempt,
  failedEnding,
  reachedBy,
  sending,
  shownOf,
  withContentType,
} from './attempt-outcome.ts'
import { lacksOnlyUsage } from './left-caller.ts'
import { PacedListener } from './paced-listener.ts'
import { endBroken, type ReadResult } from './read-result.ts'
import { failureOfFault, failureOfTimeout } from './transport-failure.ts'

/** Calls one target once and passes its answer on. Fulfilled at the answer's end, or at a failure before its start. */
export function runAttempt(input: AttemptInput): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    new Attempt(input, resolve).start()
  })
}

/** One call in progress. It owns the connection, the timers and the bytes that are not shown yet. */
class Attempt implements UpstreamListener, CallerListeners, Watched, AttemptProgress {
  readonly #input: AttemptInput
  readonly #resolve: (outcome: AttemptOutcome) => void
  readonly startedAtMs: number
  readonly isStream: boolean
  errorAtMs: number | undefined
  #phase: CallPhase = sending
  hasBody = false
  lastByteAtMs: number
  lastContentAtMs: number
  readonly deadlineAtMs: number
  #progressSeen = 0
  isPaused = false
  #flow: PacedListener | undefined
  #relay: StreamRelay | undefined
  #answerHeaders: Readonly<Record<string, string>>
  readonly #held = new HeldParts()
  readonly #hold: AnswerHold
  #watchEntry: WatchEntry | undefined
  #bounds: AttemptBounds | undefined
  #isOver = false
  leftAtMs: number | undefined
  #writer: AttemptInput['writer']
  #hasUpstreamEnded = false

  constructor(input: AttemptInput, resolve: (outcome: AttemptOutcome) => void) {
    this.#input = input
    this.#resolve = resolve
    this.#writer = input.writer
    this.startedAtMs = input.clock.monotonicMs()
    this.lastByteAtMs = this.startedAtMs
    this.lastContentAtMs = this.startedAtMs
    this.deadlineAtMs = input.deadlineAtMs
    this.isStream = input.isStream
    this.#answerHeaders = input.answerHeaders
    this.#hold = input.answerBudget.open()
  }

  start(): void {
    const { upstream, request, callerConnection, watch, durability } = this.#input
    callerConnection.listen(this)
    if (this.#isOver) return
    this.#watchEntry = watch.add(this)
    const paced = new PacedListener(this, this.#input)
    this.#flow = paced
    if (durability.type === 'intended' || durability.type === 'strict') {
      const intend = () => durability.intend(() => shownOf({ reached: reachedBy(this.#phase) }))
      paced.waitFor({ intend, hurry: durability.hurry }, (error) => this.#giveUp(error))
    }
    paced.attach(upstream.call(request, paced))
  }

  onStop(): void {
    this.#finish(failedEnding(createFailure('shutting_down')))
  }

  /** Ends the call, or reads on as after a drain, for the usage that an answer lacks. Nothing is sent any more. */
  onGone(): void {
    this.#writer = discardingWriter
    this.leftAtMs = this.#input.clock.monotonicMs()
    if (lacksOnlyUsage(this.#phase)) this.onDrain()
    else this.#finish({ type: 'caller-gone' })
  }

  look(nowMs: number): void {
    this.#bounds ??= createBounds(this.#input)
    const phase = findExpired(this, this.#bounds, nowMs)
    if (phase === undefined || (!this.#hasUpstreamEnded && this.#endBroken(false))) return
    this.#finish(failedEnding(failureOfTimeout(phase), `timeout: ${phase}`))
  }

  onError(error: unknown): void {
    this.#finish(failedEnding(createFailure('internal_error'), stackOf(error)))
  }

  onSent(): void {
    if (this.#phase.type === 'waiting') this.#phase = { type: 'waiting', isSent: true }
    // The head and the relay are prepared here because no caller waits at this point.
    this.#writer.prepareHead(this.isStream ? this.#answerHeaders : undefined)
    if (this.isStream) this.#relay = this.#input.lane.createStreamRelay(createSseParser())
  }

  onHead(status: number, headers: UpstreamHeaders): void {
    this.lastByteAtMs = this.#input.clock.monotonicMs()
    const { lane, clock, redactor, answerHeaders } = this.#input
    const passed = passAnswerHeaders(headers, lane.answerHeaders, redactor)
    if (passed !== noPassedHeaders) this.#answerHeaders = joinMembers(passed, answerHeaders)
    if (status >= 300) this.errorAtMs = this.lastByteAtMs
    const head = { status, headers, receivedAtMs: clock.nowMs(), passed }
    const reader = createAnswerReader(lane, { ...head, isStream: this.isStream, relay: this.#relay })
    this.#phase = { type: 'reading', status, headMs: this.#sinceStart(), reader }
  }

  onData(chunk: Buffer): void {
    this.hasBody = true
    this.lastByteAtMs = this.#input.clock.monotonicMs()
    if (this.#phase.type === 'waiting' || this.#isOver || this.#hasUpstreamEnded) return
    const { reader } = this.#phase
    const result = reader.push(chunk)
    const { progress } = reader.state
    if (progress !== this.#progressSeen) this.lastContentAtMs = this.lastByteAtMs
    this.#progressSeen = progress
    this.#handle(result)
    if (this.#isOver || this.#hold.resize(reader.state.heldBytes + this.#held.bytes)) return
    this.#finish(failedEnding(createFailure('answers_over_capacity')))
  }

  onEnd(): void {
    const isComplete = this.#hasUpstreamEnded || this.#isOver
    this.#hasUpstreamEnded = true
    if (this.#phase.type !== 'waiting' && !isComplete) this.#handle(this.#phase.reader.end())
  }

  onFault(fault: TransportFault): void {
    if (fault.kind !== 'unreadable' && (this.#hasUpstreamEnded || this.#endBroken(fault.kind === 'reset')))
      return
    const cause = `${fault.kind}: ${fault.message}`
    this.#finish(failedEnding(failureOfFault(fault, this), cause, fault.onReusedConnection))
  }

  /** Ends an answer that broke off but lacks nothing. Returns false where it lacks something. */
  #endBroken(isReset: boolean): boolean {
    if (this.#phase.type === 'waiting' || this.#isOver) return false
    const { reader, status } = this.#phase
    const result = endBroken({ reader, status, isReset })
    if (result !== undefined) this.#handle(result)
    return result !== undefined
  }

  #handle(result: ReadResult): void {
    switch (result.type) {
      case 'more':
        return
      case 'parts':
        if (result.isComplete) this.#end(() => this.#complete(result.parts))
        else this.#pass(result.parts)
        return
      case 'whole':
        this.#end(() => this.#sendWhole(result.body, result.replaysAsStream))
        return
      case 'steps':
        runInSteps({
          steps: result.steps,
          answerTurns: this.#input.answerTurns,
          isOver: () => this.#isOver,
          onValue: (read) => this.#handle(read),
          onThrow: (error) => this.onFault(faultOfThrown(error)),
        })
        return
      case 'failure':
        this.#pass(result.parts)
        this.#finish(failedEnding(result.failure))
        return
      default:
        unreachable(result)
    }
  }

  /** Passes parts on. Nothing is sent before the first content. From then on everything is sent at once. */
  #pass(parts: StreamParts): void {
    const phase = this.#phase
    if (parts.length === 0 || phase.type === 'waiting') return
    if (!phase.reader.state.hasContent) {
      this.#held.add(parts)
      return
    }
    const isFirst = phase.type === 'reading'
    if (isFirst) this.#phase = { ...phase, type: 'streaming', firstContentMs: this.#sinceStart() }
    if (!this.#write(parts)) {
      this.#flow?.pause()
      this.isPaused = true
    }
    // The first content goes to the caller before it is recorded.
    if (isFirst) this.#input.onFirstContent?.()
  }

  /** Writes the held parts first. Returns false if the source must pause. */
  #write(parts: StreamParts): boolean {
    const joined = joinSmallParts(this.#held.flushBefore(parts))
    const headers = withContentType(this.#answerHeaders, this.#phase)
    return joined.reduce((_, bytes) => this.#writer.writeStream(bytes, headers), true)
  }

  /** Sends the end of an answer, after the settlement if the end has to wait for it. */
  #end(send: () => void): void {
    const { durability } = this.#input
    const isSettled = durability.type === 'strict' || durability.type === 'settled'
    const settled = isSettled ? durability.settleBeforeEnd(this.#describe({ type: 'answered' })) : undefined
    // The answer is complete, so a connection that breaks during the settlement does not matter.
    if (settled !== undefined && !this.#hasUpstreamEnded) this.#flow?.linger()
    this.#hasUpstreamEnded ||= settled !== undefined
    if (settled === undefined) send()
    else settled.then(() => (this.#isOver ? undefined : send())).catch((error) => this.#giveUp(error))
  }

  /** Called when a write for which the answer waited has failed. */
  #giveUp(error: unknown): void {
    this.#finish(failedEnding(failureOf(error), reasonOf(error)))
  }

  #complete(parts: StreamParts): void {
    this.#pass(parts)
    this.#write([])
    this.#writer.endStream()
    this.#finish({ type: 'answered' })
  }

  #sendWhole(body: Buffer | string, replaysAsStream: boolean): void {
    if (this.#phase.type === 'waiting') return
    this.#phase = { ...this.#phase, type: 'sent', firstContentMs: this.#sinceStart() }
    if (replaysAsStream) {
      this.#writer.writeStream(body, this.#answerHeaders)
      this.#writer.endStream()
    } else {
      const shown = withContentType(this.#answerHeaders, this.#phase)
      const headers = joinMembers(shown, this.#input.costHeaders?.(this.#describe({ type: 'answered' })))
      this.#writer.sendWhole({ status: 200, headers, body })
    }
    this.#finish({ type: 'answered' })
  }

  onDrain(): void {
    this.isPaused = false
    this.lastByteAtMs = this.#input.clock.monotonicMs()
    this.lastContentAtMs = this.lastByteAtMs
    if (!this.#hasUpstreamEnded) this.#flow?.resume()
  }

  get hasHead(): boolean {
    return this.#phase.type !== 'waiting'
  }

  get hasContent(): boolean {
    return this.#phase.type === 'streaming'
  }

  #sinceStart(): number {
    return this.#input.clock.monotonicMs() - this.startedAtMs
  }

  #finish(ending: AttemptEnding): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#watchEntry !== undefined) this.#input.watch.remove(this.#watchEntry)
    // The connection can be used again only after a complete answer.
    if (!this.#hasUpstreamEnded && ending.type === 'answered') this.#flow?.linger()
    else if (!this.#hasUpstreamEnded) this.#flow?.abort()
    this.#hold.release()
    this.#resolve(this.#describe(this.leftAtMs === undefined ? ending : { type: 'caller-gone' }))
  }

  #describe(ending: AttemptEnding): AttemptOutcome {
    return describeAttempt(ending, this.#phase, this.#sinceStart())
  }
}
