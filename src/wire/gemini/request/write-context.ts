import type { LossList } from '../../../canonical/loss.ts'
import type { Dialect } from '../../dialect.ts'

export interface WriteContext {
  readonly dialect: Dialect
  readonly losses: LossList
}

export interface TurnTarget extends WriteContext {
  /** Names of functions by the ids of their calls so far. */
  readonly names: Map<string, string>
}
