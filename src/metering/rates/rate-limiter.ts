import type { RateTerms } from '../../access/limits/rate-schema.ts'
import { findLargestShare } from '../../kit/collections/find-largest-share.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { RateLimit } from '../rate-limit.ts'
import { LimitState, type LimitUse, type RateLevel, type RateLimitKind } from './limit-state.ts'
import {
  type AppliedLimit,
  findLongestShortfall,
  findShortfalls,
  type LimitEntry,
  type LimitShortfall,
  LimitTable,
} from './limit-table.ts'

export interface RateRequest {
  /** All limits that apply, in no order. The request is admitted by all of them or by none. */
  readonly limits: readonly RateLimit[]
  /** The ID of the key. Keys take turns when requests wait. */
  readonly keyId: string
  readonly inputTokens: number
  /** The time on the monotonic clock at which the request stops waiting, regardless of its limits. */
  readonly deadlineAtMs: number
}

/** The lease of an admitted request. */
export interface RateLease extends Disposable {
  /** Counts output as it is generated. Output beyond a limit delays later requests. */
  addOutput(tokens: number): void
  /** Counts the input that a provider states, where it is more than the estimate of the request. */
  raiseInput(tokens: number): void
  /** Ends the lease when its request ends. A second call does nothing. */
  release(): void
}

export interface RateRefusal {
  readonly type: 'refused'
  readonly limit: RateLimit
  readonly kind: RateLimitKind
  readonly retryAfterMs: number
}

export type RateOutcome =
  | { readonly type: 'admitted'; readonly lease: RateLease }
  | RateRefusal
  /** The outcome of a call of `leave`. */
  | { readonly type: 'left' }

export type RateTurn =
  | Exclude<RateOutcome, { readonly type: 'left' }>
  | {
      readonly type: 'waits'
      readonly outcome: Promise<RateOutcome>
      /** Stops waiting, for example when the caller disconnects. It has no effect after the outcome. */
      leave(): void
    }

export interface RateLimiterOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'startTimer'>
  /** The maximum number of waiting requests. */
  readonly maxWaiting?: number
}

const MAX_WAITING = 1_000
/** The `retry-after` of the answer if the time to wait is not known. */
const RETRY_AFTER_MS = 1_000

interface Waiter {
  readonly request: RateRequest
  readonly applied: readonly AppliedLimit<Waiter>[]
  readonly resolve: (outcome: RateOutcome) => void
  /** The limits at which the request has had its turn in the queue. */
  readonly passed: Set<LimitEntry<Waiter>>
  /** The shortfall at the limit where the request is in the queue. */
  shortfall: LimitShortfall<Waiter>
  readonly limitTimer: Timer
}

/** The state of an unused limit. */
const unused = new LimitState()
const nonePassed: ReadonlySet<LimitEntry<Waiter>> = new Set()

/** Limits requests, tokens and concurrent requests, by any number of limits. */
export class RateLimiter {
  readonly #clock: RateLimiterOptions['clock']
  readonly #maxWaiting: number
  readonly #table = new LimitTable<Waiter>()
  /** The waiting requests in the order of their arrival. */
  readonly #waiting = new Set<Waiter>()

  constructor({ clock, maxWaiting = MAX_WAITING }: RateLimiterOptions) {
    this.#clock = clock
    this.#maxWaiting = maxWaiting
  }

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** The number of limits in memory. */
  get size(): number {
    return this.#table.size
  }

  /** Admits a request at once or in its turn. An admitted request must be released. */
  acquire(request: RateRequest): RateTurn {
    const { limits, inputTokens } = request
    const nowMs = this.#clock.monotonicMs()
    this.#table.sweep(nowMs)
    const applied: AppliedLimit<Waiter>[] = []
    for (const limit of limits) applied.push({ limit, entry: this.#table.findOrAdd(limit.id) })
    const shortfalls = findShortfalls({ applied, inputTokens, passed: nonePassed }, nowMs)
    const longest = findLongestShortfall(shortfalls)
    if (longest === undefined) return this.#admit(request, applied, nowMs)
    const maxWaitMs = Math.min(
      ...shortfalls.map(({ limit }) => limit.terms.waitMs),
      request.deadlineAtMs - nowMs,
    )
    if (maxWaitMs <= 0 || maxWaitMs < (longest.waitMs ?? 0)) return refuse(longest)
    if (this.#waiting.size >= this.#maxWaiting && !this.#makeRoom(request.keyId)) return refuse(longest)
    return this.#wait({ request, applied, shortfall: longest, maxWaitMs })
  }

  /** The levels of the limits, one for each kind that a limit has. */
  status(limits: readonly RateLimit[]): readonly RateLevel[] {
    const nowMs = this.#clock.monotonicMs()
    const levels: RateLevel[] = []
    for (const { id, terms } of limits) {
      const { state } = this.#table.find(id) ?? { state: unused }
      state.addLevels(levels, { terms, nowMs })
    }
    return levels
  }

  /** The number of requests in flight under this limit. */
  running(id: RateLimit['id']): number {
    return this.#table.find(id)?.state.running ?? 0
  }

  readonly #wakeBehind = (entry: LimitEntry<Waiter>): void => {
    if (!entry.queue.isEmpty) this.#wake(entry)
  }

  #admit({ inputTokens }: RateRequest, applied: readonly AppliedLimit<Waiter>[], nowMs: number) {
    const parts: LeasePart[] = []
    for (const { limit, entry } of applied) {
      const { terms } = limit
      parts.push({ terms, entry, used: entry.state.acquire(terms, inputTokens, nowMs) })
    }
    return { type: 'admitted', lease: new HeldLease(parts, this.#clock, this.#wakeBehind) } as const
  }

  #wait({ request, applied, shortfall, maxWaitMs }: WaitInput): RateTurn {
    const { promise, resolve } = Promise.withResolvers<RateOutcome>()
    const waiter: Waiter = {
      request,
      applied,
      resolve,
      passed: new Set(),
      shortfall,
      limitTimer: this.#clock.startTimer(maxWaitMs, () => this.#expire(waiter)),
    }
    this.#waiting.add(waiter)
    this.#enqueue(waiter, shortfall)
    // Another request may have made room in the meantime.
    if (shortfall.entry.queue.head === waiter) this.#wake(shortfall.entry)
    return { type: 'waits', outcome: promise, leave: () => this.#remove(waiter, { type: 'left' }) }
  }

  #enqueue(waiter: Waiter, shortfall: LimitShortfall<Waiter>): void {
    const { keyId } = waiter.request
    const { entry, waitMs } = shortfall
    waiter.shortfall = shortfall
    if (waiter.passed.has(entry)) entry.queue.addFirst(keyId, waiter)
    else entry.queue.addLast(keyId, waiter)
    if (entry.queue.head === waiter) this.#wakeAfter(entry, waitMs)
  }

  #wakeAfter(entry: LimitEntry<Waiter>, waitMs: number | undefined): void {
    entry.timer?.cancel()
    entry.timer =
      waitMs === undefined
        ? undefined
        : this.#clock.startTimer(Math.max(1, Math.ceil(waitMs)), () => this.#wake(entry))
  }

  /**
   * Admits the requests that wait at a limit, turn by turn. It stops at the first request that still has to wait there,
   * since all others then have to wait too.
   */
  #wake(entry: LimitEntry<Waiter>): void {
    this.#wakeAfter(entry, undefined)
    for (let waiter = entry.queue.head; waiter !== undefined; waiter = entry.queue.head) {
      waiter.passed.add(entry)
      const shortfall = this.#findShortfall(waiter)
      if (shortfall?.entry === entry) {
        this.#wakeAfter(entry, shortfall.waitMs)
        return
      }
      entry.queue.shift()
      if (shortfall !== undefined) this.#enqueue(waiter, shortfall)
      else this.#finish(waiter, this.#admit(waiter.request, waiter.applied, this.#clock.monotonicMs()))
    }
  }

  #findShortfall({ request: { inputTokens }, applied, passed }: Waiter): LimitShortfall<Waiter> | undefined {
    return findLongestShortfall(findShortfalls({ applied, inputTokens, passed }, this.#clock.monotonicMs()))
  }

  /** Refuses the newest request of the key with the most waiting requests, if the key of the new request has fewer. */
  #makeRoom(keyId: string): boolean {
    const share = findLargestShare(this.#waiting, ({ request }) => request.keyId, keyId)
    const newest = share?.at(-1)
    if (newest === undefined) return false
    this.#remove(newest, refuse(newest.shortfall))
    return true
  }

  #expire(waiter: Waiter): void {
    // The request may be admitted at this very moment, since timers are rounded up.
    this.#wake(waiter.shortfall.entry)
    this.#remove(waiter, refuse(this.#findShortfall(waiter) ?? waiter.shortfall))
  }

  #remove(waiter: Waiter, outcome: RateOutcome): void {
    if (!this.#waiting.has(waiter)) return
    waiter.shortfall.entry.queue.remove(waiter.request.keyId, waiter)
    this.#finish(waiter, outcome)
    this.#wake(waiter.shortfall.entry)
  }

  #finish(waiter: Waiter, outcome: RateOutcome): void {
    waiter.limitTimer.cancel()
    this.#waiting.delete(waiter)
    waiter.resolve(outcome)
  }
}

interface LeasePart {
  readonly terms: RateTerms
  readonly entry: LimitEntry<Waiter>
  readonly used: LimitUse
}

class HeldLease implements RateLease {
  readonly #parts: readonly LeasePart[]
  readonly #clock: RateLimiterOptions['clock']
  readonly #onFreed: (entry: LimitEntry<Waiter>) => void
  #isReleased = false

  constructor(
    parts: readonly LeasePart[],
    clock: RateLimiterOptions['clock'],
    onFreed: (entry: LimitEntry<Waiter>) => void,
  ) {
    this.#parts = parts
    this.#clock = clock
    this.#onFreed = onFreed
  }

  addOutput(tokens: number): void {
    const nowMs = this.#clock.monotonicMs()
    for (const { terms, entry, used } of this.#parts) entry.state.addOutput(used, tokens, { terms, nowMs })
  }

  raiseInput(tokens: number): void {
    const nowMs = this.#clock.monotonicMs()
    for (const { terms, entry, used } of this.#parts) entry.state.raiseInput(used, tokens, { terms, nowMs })
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    const nowMs = this.#clock.monotonicMs()
    for (const { terms, entry, used } of this.#parts) entry.state.release(used, { terms, nowMs })
    for (const { entry } of this.#parts) this.#onFreed(entry)
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

interface WaitInput {
  readonly request: RateRequest
  readonly applied: readonly AppliedLimit<Waiter>[]
  readonly shortfall: LimitShortfall<Waiter>
  readonly maxWaitMs: number
}

function refuse({ limit, kind, waitMs }: LimitShortfall<Waiter>): RateRefusal {
  return { type: 'refused', limit, kind, retryAfterMs: Math.ceil(waitMs ?? RETRY_AFTER_MS) }
}
