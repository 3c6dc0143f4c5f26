import { SlidingCounts } from './health/health-table.ts'

const WINDOW_MS = 10_000
/** Extra calls for each request of the window. */
const EXTRA_SHARE = 0.1
/** Extra calls that are always allowed, so that low traffic can be retried too. */
const MIN_EXTRA_CALLS = 10

/** `failover`: a request's first call to a further target that is not known to fail. `further`: repeats and probes. */
export type ExtraCall = 'failover' | 'further'

/** Keeps retries from overloading the targets that are left (decision 0007). */
export class RetryBudget {
  /** Requests, and the extra calls for them, which are marked. */
  readonly calls = new SlidingCounts(WINDOW_MS)

  /** Withdraws one extra call from the budget, unless none is left. */
  tryWithdraw(call: ExtraCall, nowMs: number): boolean {
    this.calls.advance(nowMs)
    const extra = this.calls.marked
    const requests = this.calls.total - extra
    if (call === 'further' && extra >= Math.max(MIN_EXTRA_CALLS, requests * EXTRA_SHARE)) return false
    this.calls.record(true, nowMs)
    return true
  }
}
