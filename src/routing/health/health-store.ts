import type { HealthScope, TripReason } from './assess-health-impact.ts'

/** One circuit breaker that was open or half-open at the time of the snapshot. Closed ones are not stored. */
export interface StoredBreaker {
  readonly channel: string
  /** The channel's address. */
  readonly baseUrl: string
  readonly scope: HealthScope
  /** Empty if the channel has no credential, or for the channel as a whole. */
  readonly credentialId: string
  /** Shows whether the credential is still the same secret, without giving it away. */
  readonly fingerprint: string
  /** Empty unless the scope is `model`. */
  readonly upstreamModel: string
  readonly reason: TripReason
  readonly needsProbe: boolean
  readonly isDegraded: boolean
  readonly trips: number
  /** Milliseconds since 1970. */
  readonly untilAtMs: number
}

export interface HealthSnapshot {
  readonly version: 2
  readonly savedAtMs: number
  readonly breakers: readonly StoredBreaker[]
}

/** Stores over a restart which circuit breakers are not closed. */
export interface HealthStore {
  /** Undefined if nothing is stored. */
  load(): Promise<HealthSnapshot | undefined>
  save(snapshot: HealthSnapshot): Promise<void>
}
