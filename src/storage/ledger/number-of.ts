import type { SQLOutputValue } from 'node:sqlite'

/** A number of a table; the columns are strict, so that another value means a damaged file. */
export function numberOf(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value
  throw new Error('a table of the ledger holds something else than a number')
}
