import { SlidingCounts } from './sliding-counts.ts'

const WINDOW_MS = 10_000
/** The share of extra calls, relative to the requests of the window. */
const EXTRA_SHARE = 0.1
/** The number of extra calls that are always allowed, so that low traffic can be retried, too. */
const MIN_EXTRA_CALLS = 10

/**
 * The kind of an extra call. `failover`: a request's first call to a further target that is not known to fail.
 * `further`: retries and probes.
 */
export type ExtraCall = 'failover' | 'further'

/** Limits retries, so that they do not overload the remaining targets (decision 0007). */
export class RetryBudget {
  /** The requests and their extra calls. Extra calls are marked. */
  readonly #calls = new SlidingCounts(WINDOW_MS)

  /** Counts a request, by its first call. */
  addRequest(monotonicMs: number): void {
    this.#calls.add(monotonicMs)
  }

  /** Withdraws one extra call from the budget. Returns false if none is left. */
  tryWithdraw(call: ExtraCall, monotonicMs: number): boolean {
    this.#calls.advance(monotonicMs)
    const extra = this.#calls.marked
    const requests = this.#calls.total - extra
    if (call === 'further' && extra >= Math.max(MIN_EXTRA_CALLS, requests * EXTRA_SHARE)) return false
    this.#calls.addMarked(monotonicMs)
    return true
  }
}
