import type { PackedRow, PackedRows } from '../../src/request-log/pack-row.ts'

/** Rows that need not wait. */
export function joinRows(rows: readonly PackedRow[]): PackedRows {
  return { bytes: Buffer.from(rows.map((row) => `${row}\n`).join('')), count: rows.length }
}
