import type { Timer } from '../../kit/time/clock.ts'
import type { RateLimit, RateLimitId } from '../rate-limit.ts'
import { LimitState, type RateLimitKind } from './limit-state.ts'
import { TurnQueue } from './turn-queue.ts'

export interface LimitEntry<Waiter> {
  readonly state: LimitState
  readonly queue: TurnQueue<Waiter>
  /** The timer for the time at which the first request in the queue may be admitted. */
  timer: Timer | undefined
}

/** A configured limit with its state. */
export interface AppliedLimit<Waiter> {
  readonly limit: RateLimit
  readonly entry: LimitEntry<Waiter>
}

const FIRST_SWEEP = 1_024

/** The limits in use. Limits in the same state as an unused limit are removed. */
export class LimitTable<Waiter> {
  readonly #entries = new Map<RateLimitId, LimitEntry<Waiter>>()
  #sweepAt = FIRST_SWEEP

  get size(): number {
    return this.#entries.size
  }

  find(id: RateLimitId): LimitEntry<Waiter> | undefined {
    return this.#entries.get(id)
  }

  findOrAdd(id: RateLimitId): LimitEntry<Waiter> {
    const existing = this.#entries.get(id)
    if (existing !== undefined) return existing
    const entry = { state: new LimitState(), queue: new TurnQueue<Waiter>(), timer: undefined }
    this.#entries.set(id, entry)
    return entry
  }

  /**
   * Removes idle limits, in amortized constant time for each new limit. Must not be called between finding entries and
   * using them, since entries that are not in use yet would be lost.
   */
  sweep(nowMs: number): void {
    if (this.#entries.size < this.#sweepAt) return
    for (const [id, { state, queue }] of this.#entries)
      if (queue.isEmpty && state.isIdle(nowMs)) this.#entries.delete(id)
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#entries.size)
  }
}

/** A limit that does not admit a request now. */
export interface LimitShortfall<Waiter> {
  readonly limit: RateLimit
  readonly entry: LimitEntry<Waiter>
  readonly kind: RateLimitKind
  /** Undefined if other requests must end first, or are ahead in the queue. */
  readonly waitMs: number | undefined
}

export interface ShortfallInput<Waiter> {
  readonly applied: readonly AppliedLimit<Waiter>[]
  readonly inputTokens: number
  /**
   * The limits at which the request has had its turn in the queue. In other queues it waits after the requests that are
   * there already.
   */
  readonly passed: ReadonlySet<LimitEntry<Waiter>>
}

/** Finds the limits that do not admit a request now. The list is empty if the request can go. */
export function findShortfalls<Waiter>(
  input: ShortfallInput<Waiter>,
  nowMs: number,
): readonly LimitShortfall<Waiter>[] {
  const shortfalls: LimitShortfall<Waiter>[] = []
  for (const { limit, entry } of input.applied) {
    const missing = entry.state.findShortfall(limit.terms, input.inputTokens, nowMs)
    if (missing !== undefined) shortfalls.push({ limit, entry, ...missing })
    else if (!entry.queue.isEmpty && !input.passed.has(entry))
      shortfalls.push({ limit, entry, kind: 'requests', waitMs: undefined })
  }
  return shortfalls
}

/** The shortfall with the longest wait, as far as the waits are known. */
export function findLongestShortfall<Waiter>(
  shortfalls: readonly LimitShortfall<Waiter>[],
): LimitShortfall<Waiter> | undefined {
  let longest = shortfalls[0]
  for (const shortfall of shortfalls)
    if ((shortfall.waitMs ?? 0) > (longest?.waitMs ?? 0)) longest = shortfall
  return longest
}
