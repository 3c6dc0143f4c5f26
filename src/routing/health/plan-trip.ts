import type { Breaker } from '../../catalog/channel.ts'
import type { Random } from '../../kit/random/random.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { ModelOperation } from '../candidate.ts'
import type { SlidingCounts } from '../sliding-counts.ts'
import { concernsOneOperation, type HealthImpact } from './assess-health-impact.ts'
import type { BreakerState, CircuitBreaker, Trip } from './circuit-breaker.ts'

/**
 * The share of failures up to which the retry budget pays for retries. Above it, the target is used only after all
 * others.
 */
const DEGRADED_SHARE = 0.1
/** A target is out of rotation when this share of its calls fails. */
const OPEN_SHARE = 0.5

const FIRST_COOLDOWN_MS = 5_000
/** A recovered target is noticed within 15 s, however long the outage was. */
const MAX_COOLDOWN_MS = 10_000
/** A failing probe that keeps its request waiting makes probes rarer: they take at most a fifth of the time. */
const SLOW_PROBE_FACTOR = 4
const MAX_SLOW_COOLDOWN_MS = MINUTE_MS
const FIRST_BACK_OFF_MS = 1_000
const JITTER = 0.25

export interface TripInput {
  readonly impact: Exclude<HealthImpact, { type: 'none' }>
  readonly circuit: CircuitBreaker
  /** Calls of the same scope, failures marked. Undefined for credentials. */
  readonly window: SlidingCounts | undefined
  readonly policy: Breaker | undefined
  /** The operation that failed. */
  readonly operation: ModelOperation
  /** The duration of the failed attempt. */
  readonly tookMs: number
  readonly monotonicMs: number
  readonly random: Random
}

/** Decides whether a failure trips its circuit breaker, and for how long. The window already contains the failure. */
export function planTrip(input: TripInput): Trip | undefined {
  return input.impact.type === 'cooldown' ? planCooldown(input, input.impact) : planBreakerTrip(input)
}

function planCooldown(
  { circuit, monotonicMs, operation: failed, random }: TripInput,
  { scope, reason, forMs }: Extract<HealthImpact, { type: 'cooldown' }>,
): Trip {
  const isDegraded = reason === 'overloaded'
  const operation = concernsOneOperation(scope, reason) ? failed : undefined
  if (forMs === undefined) {
    const waitMs = jitter(double(FIRST_BACK_OFF_MS, circuit.nextTrip(monotonicMs), MAX_COOLDOWN_MS), random)
    return { reason, monotonicMs, untilMs: monotonicMs + waitMs, needsProbe: true, isDegraded, operation }
  }
  // A provider that names a time is ready at that time.
  const isNamed = reason === 'rate-limited' || reason === 'overloaded'
  return { reason, monotonicMs, untilMs: monotonicMs + forMs, needsProbe: !isNamed, isDegraded, operation }
}

function planBreakerTrip({
  impact,
  circuit,
  window,
  policy,
  tookMs,
  monotonicMs,
  random,
}: TripInput): Trip | undefined {
  if (policy === undefined || window === undefined) return undefined
  const isProbe = isHalfOpen(circuit.stateAt(monotonicMs))
  // The recent share is used, too, so that many earlier successes do not hide a new outage for long.
  const share = Math.max(window.marked / Math.max(1, window.total), window.recentShare(policy.failures))
  if (!isProbe && (window.marked < policy.failures || share < DEGRADED_SHARE)) return undefined
  const slowProbeMs = Math.min(tookMs * SLOW_PROBE_FACTOR, MAX_SLOW_COOLDOWN_MS)
  const maxMs = Math.max(MAX_COOLDOWN_MS, slowProbeMs)
  const waitMs = jitter(double(FIRST_COOLDOWN_MS, circuit.nextTrip(monotonicMs), maxMs), random)
  const isDegraded = isProbe ? circuit.isDegraded : share < OPEN_SHARE
  return {
    reason: impact.reason,
    monotonicMs,
    untilMs: monotonicMs + waitMs,
    needsProbe: true,
    isDegraded,
    operation: undefined,
  }
}

function isHalfOpen(state: BreakerState): boolean {
  return state === 'half-open-due' || state === 'half-open'
}

function double(firstMs: number, trip: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(trip - 1, 20))
}

/** Shortens a wait by a random part. It never lengthens the wait, so the longest cooldown is not exceeded. */
function jitter(waitMs: number, random: Random): number {
  return waitMs * (1 - JITTER * random.fraction())
}
