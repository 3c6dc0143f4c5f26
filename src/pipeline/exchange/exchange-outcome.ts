import type { Failure } from '../../canonical/failure.ts'

/** The end of a request, as far as it was carried out without a fault of ours. */
export type ExchangeOutcome =
  /** Answered by an upstream, or from what is known here. */
  | { readonly type: 'answered' }
  /** The caller still has to get the failure. */
  | { readonly type: 'failed'; readonly failure: Failure }
  | { readonly type: 'caller-gone' }
