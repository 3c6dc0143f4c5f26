import type { Failure } from '../canonical/failure.ts'
import type { Random } from '../kit/random/random.ts'
import { judgeFailure } from './judge-failure.ts'
import type { RetryPolicy } from './retry-schema.ts'

/** The wait before the first retry. It doubles with each retry. */
const BASE_WAIT_MS = 250
/** The first wait after a rate limit that names no time. Official clients wait as long. */
const RATE_LIMIT_WAIT_MS = 1_000

export interface RetryInput {
  readonly failure: Failure
  /** The number of retries of this candidate so far. */
  readonly retries: number
  readonly policy: RetryPolicy
  readonly random: Random
  /**
   * The candidates that are left to try. Another candidate for the same public name is called instead of waiting for a
   * rate limit. A fallback is called instead of waiting for a rate limit that names no time.
   */
  readonly alternatives: 'none' | 'fallback' | 'same-name'
  /** The rest of the request's time, in milliseconds. */
  readonly remainingMs: number
}

/** The wait before the same candidate is called again, in milliseconds; undefined where it must not be called again. */
export function planRetry(input: RetryInput): number | undefined {
  const { failure, retries, policy, random, alternatives, remainingMs } = input
  const { retryAfterSeconds } = failure
  const verdict = judgeFailure(failure)
  if (verdict.next !== 'elsewhere' || !verdict.mayRetry || retries >= policy.sameTarget) return undefined
  const isRateLimit = failure.code === 'upstream_rate_limited'
  const isTimeless = retryAfterSeconds === undefined
  if (isRateLimit && (alternatives === 'same-name' || (isTimeless && alternatives === 'fallback')))
    return undefined
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1_000
  if (retryAfterMs > policy.maxRetryAfterMs) return undefined
  const backOffMs = (isRateLimit && isTimeless ? RATE_LIMIT_WAIT_MS : BASE_WAIT_MS) * 2 ** retries
  const waitMs = Math.max(retryAfterMs, backOffMs) * (1 + random.fraction() / 4)
  return waitMs < remainingMs ? waitMs : undefined
}
