import type { TripReason } from './assess-health-impact.ts'
import type { BreakerState, CircuitBreaker } from './circuit-breaker.ts'

/** The state of a candidate: that of its first circuit breaker that blocks requests, or `closed` if none does. */
export type HealthState =
  | { readonly type: 'closed' }
  /** One request may be sent as a probe, once `acquireProbe` grants it. */
  | { readonly type: 'half-open-due' }
  | {
      readonly type: 'open'
      readonly reason: TripReason
      /** The end of the cooldown, in monotonic time. */
      readonly untilMs: number
      readonly isDegraded: boolean
    }
  /** A probe is in progress. */
  | { readonly type: 'half-open'; readonly isDegraded: boolean }

/** Whether no request may be sent. A degraded target may still be used as a last resort. */
export function isOutOfRotation(state: HealthState): boolean {
  return (state.type === 'open' || state.type === 'half-open') && !state.isDegraded
}

export const closed: HealthState = { type: 'closed' }
export const halfOpenDue: HealthState = { type: 'half-open-due' }

/** The state of a candidate whose circuit breaker blocks requests. */
export function blockingState(circuit: CircuitBreaker, monotonicMs: number): HealthState {
  const { reason, untilMs, isDegraded } = circuit
  if (reason === undefined || monotonicMs >= untilMs) return { type: 'half-open', isDegraded }
  return { type: 'open', reason, untilMs, isDegraded }
}

/** Whether a circuit breaker in this state lets no request pass. */
export function blocksRequests(state: BreakerState): boolean {
  return state === 'open' || state === 'half-open'
}
