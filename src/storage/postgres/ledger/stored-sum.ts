import { MAX_SUM } from '../../ledger/ledger-tables.ts'

const LIMIT = BigInt(MAX_SUM)

/** The SQL of a sum within its limit. It takes the sum of two limited values, or a `sum()`, which is `numeric`. */
export function storedSumSql(sum: string): string {
  return `least(greatest(${sum}, -${LIMIT}), ${LIMIT})::bigint`
}

/** The nearest value that a sum can have in a table. */
export function storedSum(sum: number): number {
  return Math.max(-MAX_SUM, Math.min(MAX_SUM, sum))
}
