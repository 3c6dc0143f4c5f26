import type { LossList } from '../../../canonical/loss.ts'

/**
 * `request`: for the provider, which checks what it gets. `reply`: for a caller, whose types demand every field and
 * who sends the block back in the next request.
 */
export interface WriteContext {
  readonly losses: LossList
  readonly side: 'request' | 'reply'
}
