import type { ErrorCode } from '../../canonical/error-table.ts'
import type { ModelOperation } from '../candidate.ts'
import type { HealthScope, TripReason } from './assess-health-impact.ts'

/**
 * The state of a circuit breaker as operators see it. `healthy`: closed and in use. `degraded`: called only when no
 * other target is left. `open`: out of rotation. `half-open`: one request decides.
 */
export type ReportedState = 'healthy' | 'degraded' | 'open' | 'half-open'

/** The health of one channel, credential or model. */
export interface HealthLine {
  readonly channel: string
  readonly scope: HealthScope
  /** Undefined for a whole channel, or for a channel without a credential. */
  readonly credentialId: string | undefined
  /** Undefined for a whole channel or credential. */
  readonly upstreamModel: string | undefined
  readonly state: ReportedState
  readonly reason: TripReason | undefined
  /** The operations that the reason concerns; undefined if it concerns all, or the state is `healthy`. */
  readonly operations: readonly ModelOperation[] | undefined
  /** The time since the breaker last tripped or closed; undefined if it has never tripped. */
  readonly forMs: number | undefined
  /** The time for which it stays out of rotation; 0 while it is in rotation. */
  readonly waitMs: number
  /** The calls of the last window; 0 for credentials, which have no window of their own. */
  readonly calls: number
  readonly failures: number
  readonly lastFailure: ErrorCode | undefined
}

/** A change that metrics count and alerts report. */
export interface HealthChange {
  readonly channel: string
  readonly scope: HealthScope
  readonly credentialId: string | undefined
  readonly upstreamModel: string | undefined
  readonly to: 'healthy' | 'open' | 'half-open'
  /** The reason why the candidate is, or was, out of rotation. */
  readonly reason: TripReason
  /** The operations that the reason concerns; undefined if it concerns all. */
  readonly operations: readonly ModelOperation[] | undefined
  /** The time for which `open` removes the candidate from rotation. */
  readonly waitMs: number
  /** Whether the problem needs a human. */
  readonly needsOperator: boolean
}
