import type { LossList } from '../../../canonical/loss.ts'
import type { Dialect } from '../../dialect.ts'

/** The context that all writers of request parts share. */
export interface WriteContext {
  readonly dialect: Dialect
  readonly losses: LossList
}

export interface BlockTarget {
  readonly losses: LossList
  /** Whether the item is sent to a provider (`request`) or to a caller (`reply`). */
  readonly side: 'request' | 'reply'
}
