import type {
  ExportQuery,
  LedgerCheck,
  NumberedRow,
  RowPage,
  RowQuery,
} from '../../metering/ledger-reader.ts'
import type { UsagePage, UsageQuery } from '../../metering/usage-query.ts'
import type { ExportChunk, ExportPosition } from './rows/export-rows.ts'

/** The messages to the thread that reads the ledger for reports. */
export type ReaderAsk =
  | { readonly type: 'usage'; readonly query: UsageQuery }
  | { readonly type: 'rows'; readonly query: RowQuery }
  | { readonly type: 'rows-of'; readonly requestId: string }
  | { readonly type: 'export'; readonly query: ExportQuery; readonly position: ExportPosition | undefined }
  | { readonly type: 'verify'; readonly nowMs: number }
  | { readonly type: 'read-ahead' }

export type ReaderAnswer =
  | { readonly type: 'usage'; readonly page: UsagePage }
  | { readonly type: 'rows'; readonly page: RowPage }
  | { readonly type: 'rows-of'; readonly rows: readonly NumberedRow[] }
  | { readonly type: 'export'; readonly chunk: ExportChunk }
  | { readonly type: 'verify'; readonly check: LedgerCheck }
  | { readonly type: 'read-ahead' }
  | { readonly type: 'too-slow' }
