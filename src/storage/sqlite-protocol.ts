/** What the thread that owns a SQLite file is asked and answers. */

/** Values that both a structured clone and SQLite carry. */
export type SqliteValue = null | number | bigint | string | Uint8Array

export interface SqliteStatement {
  readonly sql: string
  readonly parameters: readonly SqliteValue[]
}

export interface SqliteResult {
  /** Plain objects, column name to value. */
  readonly rows: readonly unknown[]
  readonly changes: number
}

export type SqliteRequest =
  | {
      readonly type: 'run'
      readonly id: number
      readonly statements: readonly SqliteStatement[]
      /** Whether the statements are one transaction of their own; otherwise each counts by itself. */
      readonly atomic: boolean
    }
  | { readonly type: 'close'; readonly id: number }

export interface SqliteFault {
  readonly message: string
  /** SQLite's extended result code (https://sqlite.org/rescode.html, seen 2026-11-20); undefined for other faults. */
  readonly code: number | undefined
}

export type SqliteReply =
  | { readonly type: 'opened' }
  | { readonly type: 'done'; readonly id: number; readonly results: readonly SqliteResult[] }
  /** Without an id where the file could not be opened; the thread has ended then. */
  | { readonly type: 'failed'; readonly id: number | undefined; readonly fault: SqliteFault }
