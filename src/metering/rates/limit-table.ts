import type { Timer } from '../../kit/time/clock.ts'
import type { RateLimit, RateLimitId } from '../rate-limit.ts'
import { LimitState, type RateLimitKind } from './limit-state.ts'
import { TurnQueue } from './turn-queue.ts'

export interface LimitEntry<Waiter> {
  readonly state: LimitState
  readonly queue: TurnQueue<Waiter>
  /** The timer of the time at which the head of the queue may have what it lacks. */
  timer: Timer | undefined
}

/** A limit as it is configured, and what became of it. */
export interface AppliedLimit<Waiter> {
  readonly limit: RateLimit
  readonly entry: LimitEntry<Waiter>
}

const FIRST_SWEEP = 1_024

/** The limits in use. Limits whose state equals that of an unused one are forgotten. */
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
    const known = this.#entries.get(id)
    if (known !== undefined) return known
    const entry = { state: new LimitState(), queue: new TurnQueue<Waiter>(), timer: undefined }
    this.#entries.set(id, entry)
    return entry
  }

  /**
   * Takes a constant time for each new limit on average. Must not be called between finding entries and using them:
   * entries that are not in use yet would be lost.
   */
  sweep(nowMs: number): void {
    if (this.#entries.size < this.#sweepAt) return
    for (const [id, { state, queue }] of this.#entries)
      if (queue.isEmpty && state.isIdle(nowMs)) this.#entries.delete(id)
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#entries.size)
  }
}

/** A limit that does not let a request through now. */
export interface LimitShortfall<Waiter> {
  readonly limit: RateLimit
  readonly entry: LimitEntry<Waiter>
  readonly kind: RateLimitKind
  /** Undefined where others must end first, or have their turn. */
  readonly waitMs: number | undefined
}

export interface ShortfallInput<Waiter> {
  readonly applied: readonly AppliedLimit<Waiter>[]
  readonly inputTokens: number
  /** Limits in whose queue the request has had its turn. At the others it goes behind those that wait. */
  readonly passed: ReadonlySet<LimitEntry<Waiter>>
}

/** Finds the limits that do not let a request through now; empty where it can go. */
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

/** The shortfall that is over last, as far as that is known. */
export function findLongestShortfall<Waiter>(
  shortfalls: readonly LimitShortfall<Waiter>[],
): LimitShortfall<Waiter> | undefined {
  let longest = shortfalls[0]
  for (const shortfall of shortfalls)
    if ((shortfall.waitMs ?? 0) > (longest?.waitMs ?? 0)) longest = shortfall
  return longest
}
