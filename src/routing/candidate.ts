import type { Target } from '../catalog/catalog.ts'
import type { Credential } from '../catalog/channel.ts'

/** One thing to try: a target with one of its channel's credentials. */
export interface Candidate {
  readonly target: Target
  /** Undefined where the channel has none. */
  readonly credential: Credential | undefined
  /** The public name that led here: the one asked for, or a fallback's. */
  readonly publicName: string
  /** Whether it has to prove that it is well again: `HealthBook.takeProbe` must grant it before it is asked. */
  readonly isProbe: boolean
}
