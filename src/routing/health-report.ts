import type { ErrorCode } from '../canonical/error-table.ts'
import type { HarmScope, ShutReason } from './assess-harm.ts'

/** `degraded`: asked only when nothing else is left; `probing`: one request may prove it well. */
export type ReportedState = 'well' | 'degraded' | 'shut' | 'probing'

/** One line of what is known of channels, credentials and models. */
export interface HealthLine {
  readonly channel: string
  readonly scope: HarmScope
  /** Undefined for a whole channel, or where it has none. */
  readonly credentialId: string | undefined
  /** Undefined for a whole channel or credential. */
  readonly upstreamModel: string | undefined
  readonly state: ReportedState
  readonly reason: ShutReason | undefined
  /** How long it has been so; undefined where it was never otherwise. */
  readonly forMs: number | undefined
  /** How long it is left alone yet; 0 where it is not. */
  readonly waitMs: number
  /** Of the last window; 0 for credentials, which have none of their own. */
  readonly calls: number
  readonly failures: number
  readonly lastFailure: ErrorCode | undefined
}

/** A change that metrics count and alerts tell. */
export interface HealthChange {
  readonly channel: string
  readonly scope: HarmScope
  readonly credentialId: string | undefined
  readonly upstreamModel: string | undefined
  readonly to: 'well' | 'shut' | 'probing'
  /** Why it is, or was, shut. */
  readonly reason: ShutReason
  /** For `shut`: how long. */
  readonly waitMs: number
  /** Whether it passes only when somebody acts. */
  readonly needsOperator: boolean
}
