import type { LossList } from '../../../canonical/loss.ts'
import type { RequestContext } from '../../claude-models/request-context.ts'

/** The context that every writer of a part of a request needs. */
export type WriteContext = RequestContext

/**
 * The side that a block is written for. `request`: the provider, which checks the block. `reply`: a caller, whose types
 * require every field and who sends the block back in the next request.
 */
export interface BlockTarget {
  readonly losses: LossList
  readonly side: 'request' | 'reply'
}
