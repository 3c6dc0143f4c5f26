import type { PackedRow } from '../../src/telemetry/pack-row.ts'
import type { PackedRows } from '../../src/telemetry/row-buffer.ts'

/** Rows that need not wait. */
export function joinRows(rows: readonly PackedRow[]): PackedRows {
  return { bytes: Buffer.from(rows.map((row) => `${row}\n`).join('')), count: rows.length }
}
