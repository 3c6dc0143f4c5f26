import type { Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'

/** The kinds of requests that a provider may serve or refuse with one model, each by itself. */
export type ModelOperation =
  | 'conversation'
  | 'token-count'
  | 'embedding'
  | 'rerank'
  | 'moderation'
  | 'image'
  | 'transcription'
  | 'speech'
  | 'realtime'
  | 'passthrough'

/** A target with one of its channel's credentials. */
export interface Candidate {
  readonly target: Target
  /** Undefined if the channel has no credential. */
  readonly credential: Credential | undefined
  /** The public name that led to this target: the requested name or that of a fallback. */
  readonly publicName: string
  readonly operation: ModelOperation
  /** Whether its circuit breaker is half-open. `HealthTracker.acquireProbe` must then grant the call. */
  readonly isProbe: boolean
}
