import type { Breaker } from '../../catalog/channel.ts'
import type { Random } from '../../kit/values/random.ts'
import type { HealthImpact } from './assess-health-impact.ts'
import type { CircuitBreaker, Trip } from './circuit-breaker.ts'
import type { SlidingCounts } from './sliding-counts.ts'

/** Up to this share the retry budget pays for repair; above it, the target is asked only after all others. */
const AILING_SHARE = 0.1
/** From this share on, asking it is worth less than not asking. */
const DEAD_SHARE = 0.5

const FIRST_BREAK_MS = 5_000
/** So that what is well again is noticed within 15 s, however long it was not. */
const LONGEST_BREAK_MS = 10_000
/** Where a failing probe keeps its request waiting, probes are rarer: one part in five of the time at most. */
const PATIENCE_FACTOR = 4
const LONGEST_PATIENT_BREAK_MS = 60_000
const FIRST_BACK_OFF_MS = 1_000
const JITTER = 0.25

export interface ShuttingInput {
  readonly harm: Exclude<HealthImpact, { type: 'none' }>
  readonly gate: CircuitBreaker
  /** Calls of the same scope, failures marked; undefined for credentials. */
  readonly window: SlidingCounts | undefined
  readonly breaker: Breaker | undefined
  /** How long the failed attempt took. */
  readonly tookMs: number
  readonly nowMs: number
  readonly random: Random
}

/** Whether a failure, the window already counting it, shuts its gate, and for how long. */
export function planTrip(input: ShuttingInput): Trip | undefined {
  return input.harm.type === 'cool' ? planCooling(input, input.harm) : planBreak(input)
}

function planCooling(
  { gate, nowMs, random }: ShuttingInput,
  { reason, forMs }: Extract<HealthImpact, { type: 'cool' }>,
): Trip {
  const isDegraded = reason === 'overloaded'
  if (forMs === undefined) {
    const waitMs = jitter(double(FIRST_BACK_OFF_MS, gate.nextTrip(nowMs), LONGEST_BREAK_MS), random)
    return { reason, nowMs, untilMs: nowMs + waitMs, needsProbe: true, isDegraded }
  }
  // Whoever named the time is ready then.
  const isNamed = reason === 'rate-limited' || reason === 'overloaded'
  return { reason, nowMs, untilMs: nowMs + forMs, needsProbe: !isNamed, isDegraded }
}

function planBreak({ harm, gate, window, breaker, tookMs, nowMs, random }: ShuttingInput): Trip | undefined {
  if (breaker === undefined || window === undefined) return undefined
  const isProbe = gate.look(nowMs) === 'due' || gate.look(nowMs) === 'probing'
  // Much that was good before must not hide for long that it no longer is.
  const share = Math.max(window.marked / Math.max(1, window.total), window.recentShare(breaker.failures))
  if (!isProbe && (window.marked < breaker.failures || share < AILING_SHARE)) return undefined
  const patienceMs = Math.min(tookMs * PATIENCE_FACTOR, LONGEST_PATIENT_BREAK_MS)
  const mostMs = Math.max(LONGEST_BREAK_MS, patienceMs)
  const waitMs = jitter(double(FIRST_BREAK_MS, gate.nextTrip(nowMs), mostMs), random)
  const isDegraded = isProbe ? gate.isDegraded : share < DEAD_SHARE
  return { reason: harm.reason, nowMs, untilMs: nowMs + waitMs, needsProbe: true, isDegraded }
}

function double(firstMs: number, trip: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(trip - 1, 20))
}

/** Downwards, so that a longest wait stays the longest. */
function jitter(waitMs: number, random: Random): number {
  return waitMs * (1 - JITTER * random.fraction())
}
