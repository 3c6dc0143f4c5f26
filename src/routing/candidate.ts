import type { Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'

/** A target with one of its channel's credentials. */
export interface Candidate {
  readonly target: Target
  /** Undefined if the channel has none. */
  readonly credential: Credential | undefined
  /** The public name that led here: the one asked for, or a fallback's. */
  readonly publicName: string
  /** Whether its circuit breaker is half-open: `HealthTracker.acquireProbe` must grant the call. */
  readonly isProbe: boolean
}
