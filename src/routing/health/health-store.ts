import type { HealthScope, ShutReason } from './assess-health-impact.ts'

/** One thing that was shut when the snapshot was taken. What was well is not kept. */
export interface StoredBreaker {
  readonly channel: string
  /** Where the channel led. */
  readonly place: string
  readonly scope: HealthScope
  /** Empty where the channel has no credential, or is shut as a whole. */
  readonly credentialId: string
  /** Tells whether the credential is still the same secret, which it does not give away. */
  readonly fingerprint: string
  /** Empty unless the scope is `model`. */
  readonly upstreamModel: string
  readonly reason: ShutReason
  readonly needsProbe: boolean
  readonly isDegraded: boolean
  readonly trips: number
  /** Milliseconds since 1970. */
  readonly untilAtMs: number
}

export interface HealthSnapshot {
  readonly version: 1
  readonly savedAtMs: number
  readonly gates: readonly StoredBreaker[]
}

/** Keeps over a restart what is known to be unwell. */
export interface HealthStore {
  /** Undefined where nothing was kept. */
  load(): Promise<HealthSnapshot | undefined>
  save(snapshot: HealthSnapshot): Promise<void>
}
