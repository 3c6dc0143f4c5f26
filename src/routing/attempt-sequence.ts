import type { Failure } from '../canonical/failure.ts'
import type { Random } from '../kit/random.ts'
import type { Candidate } from './candidate.ts'
import type { HealthBook } from './health-book.ts'
import type { InFlightBook } from './in-flight-book.ts'
import { judgeFailure, rulesOut } from './judge-failure.ts'
import type { LatencyBook } from './latency-book.ts'
import { planRepeat } from './plan-repeat.ts'
import type { RetryBudget } from './retry-budget.ts'
import type { RetryPolicy } from './retry-schema.ts'

/** What lasts from one request to the next. */
export interface RoutingBooks {
  readonly health: HealthBook
  readonly inFlight: InFlightBook
  readonly latency: LatencyBook
  readonly budget: RetryBudget
}

export interface SequenceParts {
  readonly candidates: readonly Candidate[]
  readonly books: RoutingBooks
  readonly policy: RetryPolicy
  readonly random: Random
  readonly isStream: boolean
  /** Of the clock that never goes back; no call begins later. */
  readonly deadlineAtMs: number
  /** Asked when a stream broke after content was shown: whether another generation may be held against it. */
  readonly mayRecover?: () => boolean
}

export type Step =
  /** Its place is taken; `finish` must follow. */
  | { readonly type: 'call'; readonly candidate: Candidate }
  /** Then ask again. */
  | { readonly type: 'wait'; readonly waitMs: number }
  | { readonly type: 'end'; readonly reason: 'exhausted' | 'attempts' | 'deadline' | 'budget' | 'stopped' }

export type AttemptEnd =
  | { readonly type: 'answered' }
  /** Also where something of an answer had been shown. */
  | { readonly type: 'failed'; readonly failure: Failure }
  /** By the caller's leaving or our own end: nothing is known of the upstream. */
  | { readonly type: 'left' }

/**
 * The calls of one request, one after the other: which is next, what is noted of it, and what follows from its failure.
 * Pure but for the books; whoever calls waits, calls and tells the time.
 */
export class AttemptSequence {
  readonly #parts: SequenceParts
  #open: readonly Candidate[]
  #current: { readonly candidate: Candidate; readonly startedAtMs: number } | undefined
  #last: Candidate | undefined
  /** Of the call under way. */
  #hasContent = false
  /** Of any call. */
  #isShown = false
  #isStopped = false
  #hasFailedOver = false
  #repeats = 0
  /** When the candidate at the front may be repeated; undefined where it is a new one. */
  #repeatAtMs: number | undefined
  calls = 0

  constructor(parts: SequenceParts) {
    this.#parts = parts
    this.#open = parts.candidates
  }

  /** The next step. A call that ended in `answered` or `left` has none. */
  next(nowMs: number): Step {
    const { policy, deadlineAtMs } = this.#parts
    if (this.#isStopped) return { type: 'end', reason: 'stopped' }
    if (this.calls >= policy.attempts) return { type: 'end', reason: 'attempts' }
    if (nowMs >= deadlineAtMs) return { type: 'end', reason: 'deadline' }
    if (this.#repeatAtMs !== undefined && nowMs < this.#repeatAtMs)
      return { type: 'wait', waitMs: this.#repeatAtMs - nowMs }
    let isUnpaid = false
    for (const candidate of this.#open) {
      const admission = this.#admit(candidate, nowMs)
      if (admission === 'granted') return this.#begin(candidate, nowMs)
      isUnpaid ||= admission === 'unpaid'
      this.#drop(candidate)
    }
    return { type: 'end', reason: isUnpaid ? 'budget' : 'exhausted' }
  }

  /** The first content of a stream came. */
  noteContent(nowMs: number): void {
    if (this.#current === undefined || this.#hasContent) return
    this.#hasContent = true
    this.#noteSuccess(nowMs)
  }

  /** The call is over; its place is given back. Tells whether somebody may wait for that place. */
  finish(end: AttemptEnd, nowMs: number): boolean {
    const current = this.#current
    if (current === undefined) return false
    const { candidate, startedAtMs } = current
    const { health, inFlight } = this.#parts.books
    const isFreed = inFlight.end(candidate.target)
    if (end.type === 'answered' && !this.#hasContent) this.#noteSuccess(nowMs)
    if (end.type === 'left') health.noteLeft(candidate, startedAtMs)
    if (end.type === 'failed') health.noteFailure(candidate, end.failure, { startedAtMs, endedAtMs: nowMs })
    this.#current = undefined
    if (end.type === 'failed') this.#decide(candidate, end.failure, nowMs)
    else this.#isStopped = true
    return isFreed
  }

  #noteSuccess(nowMs: number): void {
    if (this.#current === undefined) return
    const { candidate, startedAtMs } = this.#current
    const { books, isStream } = this.#parts
    books.health.noteSuccess(candidate, { startedAtMs, endedAtMs: nowMs })
    books.latency.note(candidate.target, { isStream, ms: nowMs - startedAtMs, nowMs })
  }

  #begin(candidate: Candidate, nowMs: number): Step {
    this.calls += 1
    this.#current = { candidate, startedAtMs: nowMs }
    this.#last = candidate
    this.#hasContent = false
    this.#repeatAtMs = undefined
    return { type: 'call', candidate }
  }

  #decide(candidate: Candidate, failure: Failure, nowMs: number): void {
    const verdict = judgeFailure(failure)
    this.#isShown ||= this.#hasContent
    const isBeyondRepair = this.#isShown && this.#parts.mayRecover?.() !== true
    this.#isStopped = verdict.next === 'stop' || isBeyondRepair
    const others = this.#open.filter((other) => other !== candidate && !rulesOut(verdict, candidate, other))
    const waitMs =
      this.#isStopped || this.#isShown ? undefined : this.#planRepeat({ candidate, failure, others, nowMs })
    this.#repeats = waitMs === undefined ? 0 : this.#repeats + 1
    this.#repeatAtMs = waitMs === undefined ? undefined : nowMs + waitMs
    // What the verdict rules out is out even where the repeat is not granted.
    this.#open = waitMs === undefined ? others : [candidate, ...others]
  }

  #planRepeat({ candidate, failure, others, nowMs }: Failed): number | undefined {
    const { policy, random, deadlineAtMs, books } = this.#parts
    // It had its chance, and the next probe has its time.
    if (candidate.isProbe) return undefined
    const waitMs = planRepeat({
      failure,
      repeats: this.#repeats,
      policy,
      random,
      hasOther: others.some(({ publicName }) => publicName === candidate.publicName),
      leftMs: deadlineAtMs - nowMs,
    })
    if (waitMs === undefined || others.length === 0) return waitMs
    return books.health.stateOf(candidate, nowMs + waitMs).type === 'shut' ? undefined : waitMs
  }

  /** Takes what a call needs, all of it or nothing. */
  #admit(candidate: Candidate, nowMs: number): 'granted' | 'refused' | 'unpaid' {
    const { health, inFlight } = this.#parts.books
    const isRepeat = this.#repeatAtMs !== undefined && candidate === this.#last
    if (!isRepeat && !this.#isStillFree(candidate, nowMs)) return 'refused'
    if (candidate.isProbe && !health.takeProbe(candidate, nowMs)) return 'refused'
    const hasPlace = inFlight.tryBegin(candidate.target)
    if (hasPlace && this.#isPaidFor(candidate, nowMs)) return 'granted'
    if (hasPlace) inFlight.end(candidate.target)
    if (candidate.isProbe) health.noteLeft(candidate, nowMs)
    return hasPlace ? 'unpaid' : 'refused'
  }

  /** Others may have found out meanwhile that it is unwell. */
  #isStillFree(candidate: Candidate, nowMs: number): boolean {
    if (this.calls === 0) return true
    const state = this.#parts.books.health.stateOf(candidate, nowMs)
    return state.type !== 'shut' || state.isLastResort
  }

  #isPaidFor(candidate: Candidate, nowMs: number): boolean {
    const { budget } = this.#parts.books
    const last = this.#last
    if (last === undefined) {
      budget.noteRequest(nowMs)
      return true
    }
    const isElsewhere =
      last.target.channel.name !== candidate.target.channel.name ||
      last.target.upstreamModel !== candidate.target.upstreamModel
    const isFailover = isElsewhere && !candidate.isProbe && !this.#hasFailedOver
    this.#hasFailedOver ||= isFailover
    return budget.take(isFailover ? 'failover' : 'further', nowMs)
  }

  #drop(candidate: Candidate): void {
    this.#repeatAtMs = undefined
    this.#repeats = 0
    this.#open = this.#open.filter((other) => other !== candidate)
  }
}

interface Failed {
  readonly candidate: Candidate
  readonly failure: Failure
  readonly others: readonly Candidate[]
  readonly nowMs: number
}
