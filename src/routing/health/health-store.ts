import type { HealthScope, TripReason } from './assess-health-impact.ts'

/** One circuit breaker that was open or half-open at the time of the snapshot. Closed breakers are not stored. */
export interface StoredBreaker {
  readonly channel: string
  /** The channel's address. */
  readonly baseUrl: string
  readonly scope: HealthScope
  /** Empty if the channel has no credential, or for the channel as a whole. */
  readonly credentialId: string
  /** A fingerprint that shows whether the credential still has the same secret. It does not reveal the secret. */
  readonly fingerprint: string
  /** Empty unless the scope is `model`. */
  readonly upstreamModel: string
  readonly reason: TripReason
  readonly needsProbe: boolean
  readonly isDegraded: boolean
  readonly trips: number
  /** The end of the cooldown, in milliseconds since 1970. */
  readonly untilAtMs: number
}

export interface HealthSnapshot {
  readonly version: 2
  readonly savedAtMs: number
  readonly breakers: readonly StoredBreaker[]
}

/** Stores which circuit breakers are not closed, so that a restart does not lose them. */
export interface HealthStore {
  /** Reads the stored snapshot; undefined if there is none. */
  load(): Promise<HealthSnapshot | undefined>
  save(snapshot: HealthSnapshot): Promise<void>
}
