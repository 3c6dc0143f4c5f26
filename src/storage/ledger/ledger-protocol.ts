import type { LedgerRetention } from '../../metering/ledger/ledger-upkeep.ts'
import type { LedgerState } from '../../metering/ledger-store.ts'
import type { PackedBatch } from './batch/packed-batch.ts'

/** The questions to the thread that writes the ledger. */
export type LedgerAsk =
  | { readonly type: 'commit'; readonly batch: PackedBatch }
  | { readonly type: 'load'; readonly nowMs: number }
  /** Some work that need not be done at once; whether there is more is the answer. */
  | { readonly type: 'maintain'; readonly retention: LedgerRetention }
  | { readonly type: 'copy'; readonly path: string }

export type LedgerAnswer =
  | { readonly type: 'commit' }
  | { readonly type: 'load'; readonly state: LedgerState }
  | { readonly type: 'maintain'; readonly hasMore: boolean }
  | { readonly type: 'copy' }
