import { type CellBlock, type CellTable, cellKeyOf, type PackedColumn, subjectOfKey } from './cell-block.ts'

export const noCells: CellTable = { keys: new Float64Array(), tags: new Float64Array(), columns: new Map() }

/** Copies a stored block into a table that can be added to. */
export function unpackCells({ count, keys, tags, columns }: CellBlock): CellTable {
  return {
    keys: widen(keys, count),
    tags: widen(tags, count),
    columns: new Map([...columns].map(([name, column]) => [name, widen(column, count)])),
  }
}

function widen(column: PackedColumn, count: number): Float64Array {
  return typeof column === 'number' ? new Float64Array(count).fill(column) : Float64Array.from(column)
}

/** Sorts the cells of a table. Cells of the same key and tags are added up. */
export function joinCells({ keys, tags, columns }: CellTable): CellTable {
  const order = Uint32Array.from(keys, (_, index) => index)
  order.sort(
    (left, right) => (keys[left] ?? 0) - (keys[right] ?? 0) || (tags[left] ?? 0) - (tags[right] ?? 0),
  )
  const joined = { keys: new Float64Array(keys.length), tags: new Float64Array(keys.length) }
  const positions = new Uint32Array(keys.length)
  let count = 0
  for (const index of order) {
    const [key, set] = [keys[index] ?? 0, tags[index] ?? 0]
    const isNew = count === 0 || joined.keys[count - 1] !== key || joined.tags[count - 1] !== set
    if (isNew) {
      joined.keys[count] = key
      joined.tags[count] = set
      count += 1
    }
    positions[index] = count - 1
  }
  const sums = [...columns].map(([name, values]) => {
    const sum = new Float64Array(count)
    addColumn(sum, values, positions)
    return [name, sum] as const
  })
  return { keys: joined.keys.slice(0, count), tags: joined.tags.slice(0, count), columns: new Map(sums) }
}

/** Turns the cells of an hour into cells of a day: the quarters of each subject are added up. */
export function joinQuarters(cells: CellTable): CellTable {
  return joinCells({ ...cells, keys: cells.keys.map((key) => cellKeyOf(0, subjectOfKey(key))) })
}

/** Merges two tables. Cells of the same key and tags are added up. */
export function mergeCells(left: CellTable, right: CellTable): CellTable {
  const { keys, tags, fromLeft, fromRight } = mergeKeys(left, right)
  const columns = new Map<string, Float64Array>()
  for (const name of new Set([...left.columns.keys(), ...right.columns.keys()])) {
    const sums = new Float64Array(keys.length)
    addColumn(sums, left.columns.get(name), fromLeft)
    addColumn(sums, right.columns.get(name), fromRight)
    columns.set(name, sums)
  }
  return { keys, tags, columns }
}

interface MergedKeys extends Pick<CellTable, 'keys' | 'tags'> {
  /**
   * The position of each cell of the left table in the merged one. `fromRight` has the positions for the right table.
   */
  readonly fromLeft: Uint32Array
  readonly fromRight: Uint32Array
}

function mergeKeys(left: CellTable, right: CellTable): MergedKeys {
  const size = left.keys.length + right.keys.length
  const [keys, tags] = [new Float64Array(size), new Float64Array(size)]
  const fromLeft = new Uint32Array(left.keys.length)
  const fromRight = new Uint32Array(right.keys.length)
  let [atLeft, atRight, count] = [0, 0, 0]
  while (atLeft < fromLeft.length || atRight < fromRight.length) {
    const order = compareAt(left, atLeft, right, atRight)
    const [source, at] = order <= 0 ? [left, atLeft] : [right, atRight]
    keys[count] = source.keys[at] ?? 0
    tags[count] = source.tags[at] ?? 0
    if (order <= 0) {
      fromLeft[atLeft] = count
      atLeft += 1
    }
    if (order >= 0) {
      fromRight[atRight] = count
      atRight += 1
    }
    count += 1
  }
  return { keys: keys.slice(0, count), tags: tags.slice(0, count), fromLeft, fromRight }
}

/** Compares two cells. A position beyond the end sorts last. */
function compareAt(left: CellTable, atLeft: number, right: CellTable, atRight: number): number {
  if (atLeft >= left.keys.length) return 1
  if (atRight >= right.keys.length) return -1
  const byKey = (left.keys[atLeft] ?? 0) - (right.keys[atRight] ?? 0)
  return byKey !== 0 ? byKey : (left.tags[atLeft] ?? 0) - (right.tags[atRight] ?? 0)
}

function addColumn(sums: Float64Array, values: Float64Array | undefined, positions: Uint32Array): void {
  if (values === undefined) return
  for (let index = 0; index < values.length; index += 1) {
    const at = positions[index] ?? 0
    sums[at] = (sums[at] ?? 0) + (values[index] ?? 0)
  }
}
