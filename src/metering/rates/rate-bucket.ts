import type { RateTerms } from '../../access/limits/rate-schema.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'

/** The kinds of units that a rate limit counts per minute. */
export const rateKinds = ['requests', 'tokens', 'input-tokens', 'output-tokens'] as const
export type RateKind = (typeof rateKinds)[number]

/**
 * The generic cell rate algorithm (ITU-T I.371, Annex A). The only state of a bucket is the time at which it is full
 * again. Each unit moves that time forward by the time that a unit takes at the limit's rate.
 */
export interface RateBucket {
  readonly kind: RateKind
  /** The units that are allowed in a minute. */
  readonly limit: number
  /** The units that may be used at once when the bucket is full. */
  readonly burst: number
  readonly msPerUnit: number
}

/** The rounding error of sums of fractions is up to this. A shorter wait is treated as no wait. */
const MIN_WAIT_MS = 1e-6

/** Creates the buckets of the kinds that the terms limit. */
export function createBuckets(terms: RateTerms): readonly RateBucket[] {
  return rateKinds.map((kind) => createBucket(kind, terms)).filter((bucket) => bucket !== undefined)
}

function createBucket(kind: RateKind, terms: RateTerms): RateBucket | undefined {
  const limit = limitOf(kind, terms)
  if (limit === undefined) return undefined
  const tenth = Math.max(1, Math.floor(limit / 10))
  const burst = kind === 'requests' ? (terms.burst ?? tenth) : tenth
  return { kind, limit, burst, msPerUnit: MINUTE_MS / limit }
}

function limitOf(kind: RateKind, terms: RateTerms): number | undefined {
  switch (kind) {
    case 'requests':
      return terms.requestsPerMinute
    case 'tokens':
      return terms.tokensPerMinute
    case 'input-tokens':
      return terms.inputTokensPerMinute
    case 'output-tokens':
      return terms.outputTokensPerMinute
  }
}

export interface BucketState {
  readonly fullAtMs: number
  readonly nowMs: number
}

/** The time until the bucket has this many units. For more units than it can hold, the time until it is full. */
export function waitFor({ burst, msPerUnit }: RateBucket, units: number, state: BucketState): number {
  const missingMs = Math.max(0, state.fullAtMs - state.nowMs)
  const waitMs = missingMs + (Math.min(units, burst) - burst) * msPerUnit
  return waitMs < MIN_WAIT_MS ? 0 : waitMs
}

/**
 * The time at which the bucket is full again after units were used or given back. More units may be used than the
 * bucket has. Later requests then wait longer.
 */
export function fullAfter(
  { msPerUnit }: RateBucket,
  units: number,
  { fullAtMs, nowMs }: BucketState,
): number {
  return Math.max(fullAtMs, nowMs) + units * msPerUnit
}

/** The number of whole units that are available. */
export function unitsIn({ burst, msPerUnit }: RateBucket, { fullAtMs, nowMs }: BucketState): number {
  const missing = (Math.max(0, fullAtMs - nowMs) - MIN_WAIT_MS) / msPerUnit
  return Math.min(burst, Math.max(0, Math.floor(burst - missing)))
}
