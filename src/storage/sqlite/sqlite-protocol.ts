/** The messages to the thread that owns a SQLite file, and its answers. */
import type { OperatorError } from '../../canonical/operator-error.ts'

/** Values that both a structured clone and SQLite support. */
export type SqliteValue = null | number | bigint | string | Uint8Array

export interface SqliteStatement {
  readonly sql: string
  readonly parameters: readonly SqliteValue[]
}

export interface SqliteResult {
  /** Plain objects that map column names to values. */
  readonly rows: readonly unknown[]
  readonly changes: number
}

export interface SqliteFault {
  readonly message: string
  /** SQLite's extended result code (https://sqlite.org/rescode.html, seen 2026-11-20); undefined for other faults. */
  readonly code: number | undefined
  /** Set where the error was an `OperatorError`: threads exchange plain objects, which lose the type of an error. */
  readonly operatorError?: Pick<OperatorError, 'code' | 'happened' | 'advice'>
}
