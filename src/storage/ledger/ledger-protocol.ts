import type { LedgerRetention } from '../../metering/ledger/ledger-maintenance.ts'
import type { LedgerState } from '../../metering/ledger-store.ts'
import type { PackedBatch } from './batch/packed-batch.ts'

/** The messages to the thread that writes the ledger. */
export type LedgerAsk =
  | { readonly type: 'commit'; readonly batch: PackedBatch }
  | { readonly type: 'load'; readonly nowMs: number }
  /** Does some deferred maintenance work; the answer says whether there is more. */
  | { readonly type: 'maintain'; readonly retention: LedgerRetention }
  | { readonly type: 'copy'; readonly path: string }

export type LedgerAnswer =
  /** The rows named by `known` existed already. */
  | { readonly type: 'commit'; readonly known: readonly string[] }
  | { readonly type: 'load'; readonly state: LedgerState }
  | { readonly type: 'maintain'; readonly hasMore: boolean }
  | { readonly type: 'copy' }
