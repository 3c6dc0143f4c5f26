// Checks the column types of our own tables. The tables are strict, so that a value of another type means a damaged
// file. These checks spare a thread that reads tables from loading the validation library.

import { DamagedStoreError } from './damaged-store-error.ts'

export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  throw new DamagedStoreError('a table holds something else than a number')
}

export function bigintOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  throw new DamagedStoreError('a table holds something else than a whole number')
}

export function columnText(value: unknown): string {
  if (typeof value === 'string') return value
  throw new DamagedStoreError('a table holds something else than text')
}

export function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new DamagedStoreError('a table holds something else than bytes')
}

/** Reads the value of a nullable column. */
export function orNull<Value>(read: (value: unknown) => Value, value: unknown): Value | null {
  return value === null ? null : read(value)
}
