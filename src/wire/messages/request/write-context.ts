import type { LossList } from '../../../canonical/loss.ts'
import type { RequestContext } from '../../claude-models/request-context.ts'

/** The context that every writer of a part of a request needs. */
export type WriteContext = RequestContext

/**
 * `request`: for the provider, which checks what it gets. `reply`: for a caller, whose types demand every field and
 * who sends the block back in the next request.
 */
export interface BlockTarget {
  readonly losses: LossList
  readonly side: 'request' | 'reply'
}
