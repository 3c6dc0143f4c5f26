import type { Failure } from '../../canonical/failure.ts'

/** The end of a request that was served without a fault of the gateway. */
export type ExchangeOutcome =
  /** Answered by an upstream or by the gateway itself. */
  | { readonly type: 'answered' }
  /** Failed. The failure still has to be sent to the caller. */
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'caller-gone' }
