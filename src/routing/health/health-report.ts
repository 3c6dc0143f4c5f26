import type { ErrorCode } from '../../canonical/error-table.ts'
import type { HealthScope, ShutReason } from './assess-health-impact.ts'

/**
 * The state of a circuit breaker as operators see it. `healthy`: closed, and serving. `degraded`: asked only when nothing
 * else is left. `open`: out of rotation. `half-open`: one request decides.
 */
export type ReportedState = 'healthy' | 'degraded' | 'open' | 'half-open'

/** One line of what is known of channels, credentials and models. */
export interface HealthLine {
  readonly channel: string
  readonly scope: HealthScope
  /** Undefined for a whole channel, or where it has none. */
  readonly credentialId: string | undefined
  /** Undefined for a whole channel or credential. */
  readonly upstreamModel: string | undefined
  readonly state: ReportedState
  readonly reason: ShutReason | undefined
  /** How long it has been so; undefined where it was never otherwise. */
  readonly forMs: number | undefined
  /** How long it stays out of rotation; 0 where it is in it. */
  readonly waitMs: number
  /** Of the last window; 0 for credentials, which have none of their own. */
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
  /** Why it is, or was, out of rotation. */
  readonly reason: ShutReason
  /** For `open`: how long. */
  readonly waitMs: number
  /** Whether the problem needs a human. */
  readonly needsOperator: boolean
}
