import type { Failure } from '../canonical/failure.ts'
import type { Random } from '../kit/random.ts'
import { judgeFailure } from './judge-failure.ts'
import type { RetryPolicy } from './retry-schema.ts'

/** The wait before the first repeat; it doubles with each. */
const BASE_WAIT_MS = 250

export interface RepeatInput {
  readonly failure: Failure
  /** How often this candidate was repeated already. */
  readonly repeats: number
  readonly policy: RetryPolicy
  readonly random: Random
  /** Whether another candidate for the same public name is left: a rate limit is then not waited for. */
  readonly hasOther?: boolean
  /** What is left of the request's time, in milliseconds. */
  readonly leftMs?: number
}

/** How long to wait before the same candidate is asked again, in milliseconds; undefined where it must not be. */
export function planRepeat(input: RepeatInput): number | undefined {
  const { failure, repeats, policy, random, hasOther = false, leftMs = Number.POSITIVE_INFINITY } = input
  const verdict = judgeFailure(failure)
  if (verdict.next !== 'elsewhere' || !verdict.mayRepeat || repeats >= policy.sameTarget) return undefined
  if (failure.code === 'upstream_rate_limited' && (hasOther || failure.retryAfterSeconds === undefined))
    return undefined
  const askedMs = (failure.retryAfterSeconds ?? 0) * 1_000
  if (askedMs > policy.maxRetryAfterMs) return undefined
  const backOffMs = BASE_WAIT_MS * 2 ** repeats
  const waitMs = Math.max(askedMs, backOffMs) * (1 + random.fraction() / 4)
  return waitMs < leftMs ? waitMs : undefined
}
