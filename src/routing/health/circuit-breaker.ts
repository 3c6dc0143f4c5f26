import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { ModelOperation } from '../candidate.ts'
import type { TripReason } from './assess-health-impact.ts'

/** The time after which a probe without an outcome is considered lost, so that another one may be sent. */
const PROBE_LEASE_MS = 5 * MINUTE_MS
/** The time in the closed state after which the next trip starts again with the shortest cooldown. */
const TRIPS_RESET_AFTER_MS = MINUTE_MS

/**
 * The state of a circuit breaker. `closed`: requests pass. `open`: no request passes until the cooldown ends.
 * `half-open-due`: one request may pass as a probe. `half-open`: that probe is in progress and decides the next state.
 */
export type BreakerState = 'closed' | 'open' | 'half-open-due' | 'half-open'

export interface Trip {
  readonly reason: TripReason
  readonly monotonicMs: number
  readonly untilMs: number
  /** Whether one request must succeed before all others pass. */
  readonly needsProbe: boolean
  /** Whether the target still serves some requests. It is then used when no other target is left. */
  readonly isDegraded: boolean
  /** The only operation that the reason concerns; undefined if it concerns all. */
  readonly operation: ModelOperation | undefined
}

/** Decides whether requests pass to one channel, credential or model. Times are of `Clock.monotonicMs`. */
export class CircuitBreaker {
  /** The reason of the last trip; undefined once the breaker has closed again. */
  reason: TripReason | undefined = undefined
  /** The time at which the breaker last tripped or closed. */
  sinceMs = 0
  untilMs = 0
  needsProbe = false
  isDegraded = false
  /** The operations that the reason concerns; undefined if it concerns all. */
  operations: ReadonlySet<ModelOperation> | undefined = undefined
  /** The number of trips without a long closed time between them. */
  trips = 0
  #probedAtMs: number | undefined = undefined

  stateAt(monotonicMs: number): BreakerState {
    if (this.reason === undefined) return 'closed'
    if (monotonicMs < this.untilMs) return 'open'
    if (!this.needsProbe) return 'closed'
    return this.#probedAtMs === undefined || monotonicMs - this.#probedAtMs > PROBE_LEASE_MS
      ? 'half-open-due'
      : 'half-open'
  }

  concerns(operation: ModelOperation): boolean {
    return this.operations?.has(operation) ?? true
  }

  /** The number that the next trip would have in the current series. */
  nextTrip(monotonicMs: number): number {
    const isClosed = this.reason === undefined || (!this.needsProbe && monotonicMs >= this.untilMs)
    const closedAtMs = this.reason === undefined ? this.sinceMs : this.untilMs
    return isClosed && monotonicMs - closedAtMs > TRIPS_RESET_AFTER_MS ? 1 : this.trips + 1
  }

  trip({ reason, monotonicMs, untilMs, needsProbe, isDegraded, operation }: Trip): void {
    const before = this.reason === undefined ? undefined : this.operations
    this.operations = operation === undefined ? undefined : new Set([...(before ?? []), operation])
    this.trips = this.nextTrip(monotonicMs)
    this.reason = reason
    this.sinceMs = monotonicMs
    this.untilMs = untilMs
    this.needsProbe = needsProbe
    this.isDegraded = isDegraded
    this.#probedAtMs = undefined
  }

  /** Trips as another process did, after as many trips as it counted. */
  restore(trip: Trip, trips: number): void {
    this.trip(trip)
    this.trips = trips
  }

  startProbe(monotonicMs: number): void {
    this.#probedAtMs = monotonicMs
  }

  /** Releases a probe that ended without an outcome. A call that began before the probe does not release it. */
  releaseProbe(startedAtMs: number): void {
    if (this.#probedAtMs !== undefined && startedAtMs >= this.#probedAtMs) this.#probedAtMs = undefined
  }

  /**
   * Ends the cooldown early for one probe. Returns false if the breaker is not open, or if an earlier probe failed,
   * after which the cooldown stays.
   */
  allowEarlyProbe(monotonicMs: number): boolean {
    if (this.trips > 1 || this.stateAt(monotonicMs) !== 'open') return false
    this.untilMs = monotonicMs
    this.needsProbe = true
    return true
  }

  close(monotonicMs: number): void {
    this.reason = undefined
    this.sinceMs = monotonicMs
    this.#probedAtMs = undefined
  }
}
