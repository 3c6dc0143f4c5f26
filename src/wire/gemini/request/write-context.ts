import type { LossList } from '../../../canonical/loss.ts'
import type { Dialect } from '../../dialect.ts'

export interface WriteContext {
  readonly dialect: Dialect
  readonly losses: LossList
}

export interface TurnTarget extends WriteContext {
  /** The function names of the calls so far, by call ID. */
  readonly names: Map<string, string>
}
