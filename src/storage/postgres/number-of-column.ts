import { InvariantError } from '../../kit/errors/invariant-error.ts'

/** The number in a column of the first row. The driver may return it as text. Throws where there is no such row. */
export function numberOfColumn(rows: readonly Readonly<Record<string, unknown>>[], column: string): number {
  const number = Number(rows[0]?.[column] ?? Number.NaN)
  if (Number.isNaN(number)) throw new InvariantError(`the database gave no ${column}`)
  return number
}
