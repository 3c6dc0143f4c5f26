import { NANO_DOLLARS_PER_DOLLAR } from '../../../canonical/money.ts'
import { noUsage } from '../../../canonical/usage.ts'
import type { UsageSums } from '../../../metering/usage-query.ts'
import { SLOTS_AN_HOUR, type UsageClass, usageClasses, usageColumns } from '../ledger-tables.ts'
import { type CellBlock, type PackedColumn, quarterOfKey, subjectOfKey } from './cell-block.ts'
import { toolOfColumn } from './open-cells.ts'

/** Returns the group of a cell; negative for no group. */
interface GroupFinder {
  groupOf(subject: number, tags: number): number
}

/** The choice of cells to add up, and the groups to add them to. */
export interface CellChoice {
  readonly groups: GroupFinder
  /** The quarters of the hour, the end excluded. */
  readonly quarters: readonly [number, number]
}

/** Sums of money exceed what a number holds exactly. Whole dollars and the rest are therefore added up separately. */
const moneyColumns: readonly string[] = ['cost', 'charged']
const wholeColumn = (name: string) => `${name} in dollars`
const WHOLE_COST = wholeColumn('cost')

/** This many fractions of a dollar, or 32-bit numbers, add up to less than a number holds exactly. */
const CELLS_BEFORE_CARRY = 1_000_000

/** The relative error of a sum of money that is computed in floating point. */
const SUM_TOLERANCE = 1e-12

/** The position for cells of no group. They are added up too, so that the loops need no branch. */
const NO_GROUP = 0

/** Adds up cells by group. Group numbers begin at 0. */
export class GroupSums {
  /** The sums by the group's number plus one. */
  readonly #sums = new Map<string, Float64Array>()
  #cellsSinceCarry = 0
  #touched = new Uint8Array(1_024)
  #end = 0
  /** The position in the sums for each cell of the current block. */
  #positions = new Int32Array()
  #values = new Float64Array()

  add(block: CellBlock, choice: CellChoice): void {
    if (this.#positions.length < block.count) {
      this.#positions = new Int32Array(block.count * 2)
      this.#values = new Float64Array(block.count * 2)
    }
    if (!this.#choosePositions(block, choice)) return
    const positions = this.#positions.subarray(0, block.count)
    this.#countCells(block.count)
    for (const [name, column] of block.columns) {
      if (moneyColumns.includes(name)) this.#addMoney(name, column, positions)
      else addColumn(this.#column(name), column, positions)
    }
  }

  /** Adds up all groups of another instance as group 0. */
  addAll(other: GroupSums): void {
    this.#countCells(other.#end)
    other.#carry()
    if (other.#end > 0) this.#touch(0)
    for (const [name, values] of other.#sums) {
      const sums = this.#column(name)
      let sum = sums[1] ?? 0
      for (let position = 1; position <= other.#end; position += 1) sum += values[position] ?? 0
      sums[1] = sum
    }
  }

  /** One more than the highest group that anything was added to since the last reset. */
  get end(): number {
    return this.#end
  }

  has(group: number): boolean {
    return this.#touched[group + 1] === 1
  }

  sumsOf(group: number): UsageSums {
    const of = (name: string) => this.#sums.get(name)?.[group + 1] ?? 0
    const toolCalls: Record<string, number> = {}
    for (const name of this.#sums.keys()) {
      const tool = toolOfColumn(name)
      if (tool !== undefined && of(name) !== 0) toolCalls[tool] = of(name)
    }
    return {
      attempts: of('attempts'),
      requests: of('requests'),
      failed: of('failed'),
      estimated: of('estimated'),
      cost: this.moneyOf(group, 'cost'),
      charged: this.moneyOf(group, 'charged'),
      usage: { ...readClasses(of), toolCalls },
    }
  }

  moneyOf(group: number, name: 'cost' | 'charged'): bigint {
    const whole = this.#sums.get(wholeColumn(name))?.[group + 1] ?? 0
    return BigInt(whole) * BigInt(NANO_DOLLARS_PER_DOLLAR) + BigInt(this.#sums.get(name)?.[group + 1] ?? 0)
  }

  /** Whether the group certainly cost less. False also where floating point cannot decide. */
  isBelow(group: number, cost: number): boolean {
    const whole = this.#sums.get(WHOLE_COST)?.[group + 1] ?? 0
    const own = whole * NANO_DOLLARS_PER_DOLLAR + (this.#sums.get('cost')?.[group + 1] ?? 0)
    return own < cost - (Math.abs(own) + Math.abs(cost)) * SUM_TOLERANCE - 1
  }

  reset(): void {
    for (const sums of this.#sums.values()) sums.fill(0, 0, this.#end + 1)
    this.#touched.fill(0, 0, this.#end + 1)
    this.#end = 0
  }

  /** Returns whether any cell is in a group. */
  #choosePositions({ count, keys, tags }: CellBlock, { groups, quarters }: CellChoice): boolean {
    const isWhole = quarters[0] === 0 && quarters[1] === SLOTS_AN_HOUR
    const [positions, keysOf] = [this.#positions, this.#widen(keys, count)]
    const tagsOf = typeof tags === 'number' ? undefined : tags
    const allTags = typeof tags === 'number' ? tags : 0
    let isAny = false
    for (let index = 0; index < count; index += 1) {
      const key = keysOf[index] ?? 0
      const isChosen = isWhole || isWithin(quarterOfKey(key), quarters)
      const group = isChosen ? groups.groupOf(subjectOfKey(key), tagsOf?.[index] ?? allTags) : -1
      positions[index] = group < 0 ? NO_GROUP : group + 1
      if (group < 0) continue
      isAny = true
      if (this.#touched[group + 1] !== 1) this.#touch(group)
    }
    return isAny
  }

  #touch(group: number): void {
    const position = group + 1
    if (position >= this.#touched.length) this.#growTo(position)
    this.#touched[position] = 1
    if (position > this.#end) this.#end = position
  }

  #growTo(position: number): void {
    const capacity = (position + 1) * 2
    const touched = new Uint8Array(capacity)
    touched.set(this.#touched)
    this.#touched = touched
    for (const [name, sums] of this.#sums) {
      const larger = new Float64Array(capacity)
      larger.set(sums)
      this.#sums.set(name, larger)
    }
  }

  /** Converts a column to one type of array, for loops that have no copy for each type. */
  #widen(column: PackedColumn, count: number): Float64Array {
    if (column instanceof Float64Array) return column
    if (typeof column === 'number') this.#values.fill(column, 0, count)
    else this.#values.set(column)
    return this.#values
  }

  #column(name: string): Float64Array {
    const known = this.#sums.get(name)
    if (known !== undefined) return known
    const sums = new Float64Array(this.#touched.length)
    this.#sums.set(name, sums)
    return sums
  }

  #countCells(count: number): void {
    if (this.#cellsSinceCarry + count > CELLS_BEFORE_CARRY) this.#carry()
    this.#cellsSinceCarry += count
  }

  #carry(): void {
    this.#cellsSinceCarry = 0
    for (const name of moneyColumns) {
      const [rests, wholes] = [this.#column(name), this.#column(wholeColumn(name))]
      for (let position = 1; position <= this.#end; position += 1) {
        const rest = rests[position] ?? 0
        const whole = Math.trunc(rest / NANO_DOLLARS_PER_DOLLAR)
        wholes[position] = (wholes[position] ?? 0) + whole
        rests[position] = rest - whole * NANO_DOLLARS_PER_DOLLAR
      }
    }
  }

  #addMoney(name: string, column: PackedColumn, positions: Int32Array): void {
    const [rests, wholes] = [this.#column(name), this.#column(wholeColumn(name))]
    // Numbers of 32 bits are small enough: between two carries their sum stays below what a number holds exactly.
    if (typeof column !== 'number' && !(column instanceof Float64Array)) addColumn(rests, column, positions)
    else addSplit(this.#widen(column, positions.length), { rests, wholes, positions })
  }
}

function isWithin(quarter: number, [first, end]: CellChoice['quarters']): boolean {
  return quarter >= first && quarter < end
}

function addColumn(sums: Float64Array, column: PackedColumn, positions: Int32Array): void {
  if (typeof column === 'number') addConstant(sums, column, positions)
  else if (column instanceof Uint8Array) addUint8(sums, column, positions)
  else if (column instanceof Uint16Array) addUint16(sums, column, positions)
  else if (column instanceof Uint32Array) addUint32(sums, column, positions)
  else addFloat64(sums, column, positions)
}

// These loops are equal. V8 compiles a loop well only for one type of array, and a conversion costs as much as a loop.

function addUint8(sums: Float64Array, values: Uint8Array, positions: Int32Array): void {
  for (let index = 0; index < positions.length; index += 1) {
    const position = positions[index] ?? NO_GROUP
    sums[position] = (sums[position] ?? 0) + (values[index] ?? 0)
  }
}

function addUint16(sums: Float64Array, values: Uint16Array, positions: Int32Array): void {
  for (let index = 0; index < positions.length; index += 1) {
    const position = positions[index] ?? NO_GROUP
    sums[position] = (sums[position] ?? 0) + (values[index] ?? 0)
  }
}

function addUint32(sums: Float64Array, values: Uint32Array, positions: Int32Array): void {
  for (let index = 0; index < positions.length; index += 1) {
    const position = positions[index] ?? NO_GROUP
    sums[position] = (sums[position] ?? 0) + (values[index] ?? 0)
  }
}

function addFloat64(sums: Float64Array, values: Float64Array, positions: Int32Array): void {
  for (let index = 0; index < positions.length; index += 1) {
    const position = positions[index] ?? NO_GROUP
    sums[position] = (sums[position] ?? 0) + (values[index] ?? 0)
  }
}

function addConstant(sums: Float64Array, value: number, positions: Int32Array): void {
  for (let index = 0; index < positions.length; index += 1) {
    const position = positions[index] ?? NO_GROUP
    sums[position] = (sums[position] ?? 0) + value
  }
}

interface MoneySums {
  readonly rests: Float64Array
  readonly wholes: Float64Array
  readonly positions: Int32Array
}

function addSplit(amounts: Float64Array, { rests, wholes, positions }: MoneySums): void {
  for (let index = 0; index < positions.length; index += 1) {
    const position = positions[index] ?? NO_GROUP
    const amount = amounts[index] ?? 0
    const whole = Math.trunc(amount / NANO_DOLLARS_PER_DOLLAR)
    wholes[position] = (wholes[position] ?? 0) + whole
    rests[position] = (rests[position] ?? 0) + (amount - whole * NANO_DOLLARS_PER_DOLLAR)
  }
}

function readClasses(of: (name: string) => number): Readonly<Record<UsageClass, number>> {
  const { toolCalls: _toolCalls, isEstimated: _estimated, ...none } = noUsage
  const classes: Record<UsageClass, number> = { ...none }
  for (const name of usageClasses) classes[name] = of(usageColumns[name])
  return classes
}
