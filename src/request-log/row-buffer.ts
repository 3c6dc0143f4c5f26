import type { PackedRow } from './pack-row.ts'

/** Packed rows as UTF-8, a line feed behind each. */
export interface PackedRows {
  readonly bytes: Uint8Array
  readonly count: number
}

const CAPACITY_BYTES = 256 * 1024
/** A transaction of so many rows holds up a reader for some milliseconds. */
const MOST_ROWS = 512
/** What a UTF-16 unit takes in UTF-8 at most. */
const MOST_BYTES_A_CHARACTER = 3

/**
 * Rows that wait to be written. They wait as bytes, since every collection of garbage would carry so many strings from
 * place to place, which cost more than making them.
 */
export class RowBuffer {
  #bytes = Buffer.allocUnsafeSlow(CAPACITY_BYTES)
  #length = 0
  #count = 0

  /** False where the row does not fit; it always fits after `take`. */
  add(row: PackedRow): boolean {
    const needed = row.length * MOST_BYTES_A_CHARACTER + 1
    if (this.#count >= MOST_ROWS) return false
    if (this.#length + needed > this.#bytes.length) {
      if (this.#count > 0) return false
      this.#bytes = Buffer.allocUnsafeSlow(needed)
    }
    this.#length += this.#bytes.write(`${row}\n`, this.#length, 'utf8')
    this.#count += 1
    return true
  }

  /** All rows since the last time; undefined where there are none. */
  take(): PackedRows | undefined {
    if (this.#count === 0) return undefined
    const rows = { bytes: Uint8Array.from(this.#bytes.subarray(0, this.#length)), count: this.#count }
    this.#length = 0
    this.#count = 0
    return rows
  }
}
