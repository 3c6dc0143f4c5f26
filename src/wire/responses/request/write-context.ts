import type { LossList } from '../../../canonical/loss.ts'
import type { Dialect } from '../../dialect.ts'

/** The context that every writer of a part of a request needs. */
export interface WriteContext {
  readonly dialect: Dialect
  readonly losses: LossList
}

export interface BlockTarget {
  readonly losses: LossList
  /** Whether the item goes to a provider or to a caller. */
  readonly side: 'request' | 'reply'
}
