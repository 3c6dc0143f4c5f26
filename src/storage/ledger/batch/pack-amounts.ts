import type { CountedSum } from '../../../metering/budget.ts'
import { DamagedStoreError } from '../../sqlite/damaged-store-error.ts'

/** The amount counted in one window, with the window's ID in the table. */
export interface WindowAmount {
  readonly window: number
  readonly amount: number
}

/** The amount held in one window. */
export interface WindowHold extends WindowAmount {
  readonly counts: CountedSum
}

/** The cost and the charged amount of a row. Nearly always each of its windows counts one of these. */
export interface RowAmounts {
  readonly cost: number
  readonly charged: number
}

/** The code in the lowest two bits of each number. With `OTHER` and `BELOW_ZERO`, an amount follows. */
const CHARGED = 0
const COST = 1
const OTHER = 2
const BELOW_ZERO = 3
const CODE_COUNT = 4
/** A number below 2^53 needs at most eight bytes of seven bits. */
const MAX_BYTES = 8

export function packCounted(amounts: readonly WindowAmount[], row: RowAmounts): Uint8Array | null {
  if (amounts.length === 0) return null
  const bytes = new Uint8Array(amounts.length * 2 * MAX_BYTES)
  let length = 0
  for (const { window, amount } of amounts) {
    const other = amount < 0 ? BELOW_ZERO : OTHER
    const code = amount === row.charged ? CHARGED : amount === row.cost ? COST : other
    length = writeNumber(bytes, length, window * CODE_COUNT + code)
    if (code === other) length = writeNumber(bytes, length, Math.abs(amount))
  }
  return bytes.slice(0, length)
}

/** Reads the windows of a row; calls back once for each window. */
export function readCounted(
  bytes: Uint8Array | null,
  row: RowAmounts,
  add: (window: number, amount: number) => void,
): void {
  if (bytes === null) return
  const reader = { bytes, at: 0 }
  while (reader.at < bytes.length) {
    const packed = readNumber(reader)
    const code = packed % CODE_COUNT
    const window = (packed - code) / CODE_COUNT
    if (code === CHARGED) add(window, row.charged)
    else if (code === COST) add(window, row.cost)
    else add(window, code === OTHER ? readNumber(reader) : -readNumber(reader))
  }
}

/** Writes a number seven bits a byte, the lowest bits first. */
function writeNumber(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest >= 128) {
    bytes[at] = (rest % 128) + 128
    rest = Math.floor(rest / 128)
    at += 1
  }
  bytes[at] = rest
  return at + 1
}

interface NumberReader {
  readonly bytes: Uint8Array
  at: number
}

function readNumber(reader: NumberReader): number {
  let value = 0
  let scale = 1
  for (;;) {
    const byte = reader.bytes[reader.at]
    if (byte === undefined) throw new DamagedStoreError('the amounts of a ledger row are cut off')
    reader.at += 1
    if (byte < 128) return value + byte * scale
    value += (byte - 128) * scale
    scale *= 128
  }
}
