import { DamagedStoreError } from '../../sqlite/damaged-store-error.ts'

/**
 * Usage sums in the form in which they are added up and stored: one row for each key and set of tags, one column for
 * each sum.
 */
export interface CellTable {
  /** Keys in ascending order. A key combines a subject and, for the cells of an hour, the quarter (see `cellKeyOf`). */
  readonly keys: Float64Array
  /** The IDs of sets of tags, ascending within one key; 0 means no tags. */
  readonly tags: Float64Array
  /** The columns by the name of the sum; an absent column is all zeros. */
  readonly columns: ReadonlyMap<string, Float64Array>
}

/**
 * A column as it is stored: one number where all cells are equal, otherwise an array of the narrowest type that holds
 * the values.
 */
export type PackedColumn = number | Uint8Array | Uint16Array | Uint32Array | Float64Array

export interface CellBlock {
  readonly count: number
  readonly keys: PackedColumn
  readonly tags: PackedColumn
  readonly columns: ReadonlyMap<string, PackedColumn>
}

const QUARTERS_AN_HOUR = 4
const SHIFTABLE = 2 ** 31
const KEYS = 'keys'
const TAGS = 'tags'

/** Combines the quarter of the hour, 0 to 3, and a subject. In the cells of a day the quarter is always 0. */
export function cellKeyOf(quarter: number, subject: number): number {
  return subject * QUARTERS_AN_HOUR + quarter
}

/** Uses a shift where the key is small enough: a report splits millions of keys. */
export function subjectOfKey(key: number): number {
  return key < SHIFTABLE ? key >> 2 : Math.floor(key / QUARTERS_AN_HOUR)
}

export function quarterOfKey(key: number): number {
  return key < SHIFTABLE ? key & 3 : key % QUARTERS_AN_HOUR
}

/**
 * Each column begins with the number of bytes per cell. A width of 0 marks a constant: one 64-bit float after the
 * name.
 */
const CONSTANT_WIDTH = 0
type Width = 1 | 2 | 4 | 8
const ALIGNMENT = 8
const VERSION = 1

/**
 * Writes a table as bytes: a header, then the arrays, each at a multiple of eight bytes. The byte order is the
 * machine's own, which is little-endian wherever Node runs, so that the arrays are read without a copy.
 */
export function packCells({ keys, tags, columns }: CellTable): Uint8Array {
  const packed: [string, PackedColumn][] = [
    [KEYS, packColumn(keys)],
    [TAGS, packColumn(tags)],
  ]
  for (const [name, values] of columns) {
    const column = packColumn(values)
    if (column !== 0) packed.push([name, column])
  }
  const head = packHead(keys.length, packed)
  const arrays = packed.flatMap(([, column]) => (typeof column === 'number' ? [] : [column]))
  const bytes = new Uint8Array(arrays.reduce((sum, { byteLength }) => sum + align(byteLength), head.length))
  bytes.set(head)
  let at = head.length
  for (const { buffer, byteOffset, byteLength } of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += align(byteLength)
  }
  return bytes
}

function packHead(count: number, columns: readonly (readonly [string, PackedColumn])[]): Uint8Array {
  const start = Buffer.alloc(8)
  start.writeUInt8(VERSION, 0)
  start.writeUInt16LE(columns.length, 2)
  start.writeUInt32LE(count, 4)
  const parts = columns.map(([name, column]) => {
    const nameBytes = Buffer.from(name, 'utf8')
    const isConstant = typeof column === 'number'
    const part = Buffer.alloc(3 + nameBytes.length + (isConstant ? 8 : 0))
    part.writeUInt8(isConstant ? CONSTANT_WIDTH : column.BYTES_PER_ELEMENT, 0)
    part.writeUInt16LE(nameBytes.length, 1)
    part.set(nameBytes, 3)
    if (isConstant) part.writeDoubleLE(column, 3 + nameBytes.length)
    return part
  })
  const head = Buffer.concat([start, ...parts])
  return Buffer.concat([head], align(head.length))
}

function align(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

function packColumn(values: Float64Array): PackedColumn {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  if (values.length === 0) return 0
  if (min === max) return min
  if (min < 0 || max >= 2 ** 32) return values
  if (max < 2 ** 8) return Uint8Array.from(values)
  return max < 2 ** 16 ? Uint16Array.from(values) : Uint32Array.from(values)
}

interface ArrayView {
  readonly buffer: ArrayBufferLike
  readonly at: number
  readonly count: number
}

function viewArray(width: Width, { buffer, at, count }: ArrayView): PackedColumn {
  switch (width) {
    case 1:
      return new Uint8Array(buffer, at, count)
    case 2:
      return new Uint16Array(buffer, at, count)
    case 4:
      return new Uint32Array(buffer, at, count)
    case 8:
      return new Float64Array(buffer, at, count)
  }
}

interface PackedHead {
  readonly count: number
  readonly columns: readonly { readonly name: string; readonly width: Width | 0; readonly value: number }[]
  /** The offset of the first array. */
  readonly end: number
}

/** Reads the wanted columns, or all columns. */
export function readCellBlock(stored: Uint8Array, wanted?: ReadonlySet<string>): CellBlock {
  const bytes = stored.byteOffset % ALIGNMENT === 0 ? stored : Uint8Array.from(stored)
  const { count, columns: heads, end } = readHead(bytes)
  const columns = new Map<string, PackedColumn>()
  let at = bytes.byteOffset + end
  for (const { name, width, value } of heads) {
    const isWanted = name === KEYS || name === TAGS || wanted === undefined || wanted.has(name)
    if (width === CONSTANT_WIDTH) {
      if (isWanted) columns.set(name, value)
      continue
    }
    if (isWanted) columns.set(name, viewArray(width, { buffer: bytes.buffer, at, count }))
    at += align(count * width)
  }
  const [keys, tags] = [columns.get(KEYS) ?? 0, columns.get(TAGS) ?? 0]
  columns.delete(KEYS)
  columns.delete(TAGS)
  return { count, keys, tags, columns }
}

function readHead(bytes: Uint8Array): PackedHead {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (head.readUInt8(0) !== VERSION)
    throw new DamagedStoreError('a block of usage was written by a newer Headgate')
  const columns: PackedHead['columns'][number][] = []
  let at = 8
  for (let left = head.readUInt16LE(2); left > 0; left -= 1) {
    const width = readWidth(head.readUInt8(at))
    const nameEnd = at + 3 + head.readUInt16LE(at + 1)
    const name = head.toString('utf8', at + 3, nameEnd)
    columns.push({ name, width, value: width === CONSTANT_WIDTH ? head.readDoubleLE(nameEnd) : 0 })
    at = nameEnd + (width === CONSTANT_WIDTH ? 8 : 0)
  }
  return { count: head.readUInt32LE(4), columns, end: align(at) }
}

function readWidth(byte: number): Width | 0 {
  if (byte === 0 || byte === 1 || byte === 2 || byte === 4 || byte === 8) return byte
  throw new DamagedStoreError('a block of usage is damaged')
}
