import { noUsage } from '../../../canonical/usage.ts'
import type { UsageSums } from '../../../metering/usage-query.ts'
import { type UsageClass, usageClasses, usageColumns } from '../ledger-tables.ts'
import { type CellBlock, type PackedColumn, quarterOfKey, subjectOfKey } from './cell-block.ts'
import { toolOfColumn } from './open-cells.ts'

/** Which cells are added up, and in which group: below zero, in none. */
export interface CellChoice {
  readonly groupOf: (subject: number, tags: number) => number
  /** Of the hour, the end excluded. */
  readonly quarters: readonly [number, number]
}

/** Sums of money pass what a number holds: whole units of a dollar and the rest are added up apart. */
const NANO_DOLLARS = 1_000_000_000
const moneyColumns: readonly string[] = ['cost', 'charged']
const wholeColumn = (name: string) => `${name} in dollars`

/** So many rests of a dollar are below what a number holds exactly. */
const CELLS_BEFORE_CARRY = 1_000_000

/** Adds up cells by groups, whose numbers begin at 0. */
export class GroupSums {
  readonly #sums = new Map<string, Float64Array>()
  #cellsSinceCarry = 0
  #touched = new Uint8Array(1_024)
  #end = 0

  add(block: CellBlock, choice: CellChoice): void {
    const groups = this.#chooseGroups(block, choice)
    if (groups === undefined) return
    this.#countCells(block.count)
    for (const [name, column] of block.columns) {
      if (moneyColumns.includes(name)) this.#addMoney(name, column, groups)
      else addTo(this.#column(name), column, groups)
    }
  }

  /** Adds all groups of the other together, as group 0. */
  addAll(other: GroupSums): void {
    this.#countCells(other.#end)
    other.#carry()
    if (other.#end > 0) this.#touch(0)
    for (const [name, values] of other.#sums) {
      const sums = this.#column(name)
      let sum = sums[0] ?? 0
      for (let group = 0; group < other.#end; group += 1) sum += values[group] ?? 0
      sums[0] = sum
    }
  }

  /** Groups that anything was added to since the last reset. */
  *groups(): Generator<number, void, undefined> {
    for (let group = 0; group < this.#end; group += 1) if (this.#touched[group] === 1) yield group
  }

  sumsOf(group: number): UsageSums {
    const of = (name: string) => this.#sums.get(name)?.[group] ?? 0
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
    const whole = this.#sums.get(wholeColumn(name))?.[group] ?? 0
    return BigInt(whole) * BigInt(NANO_DOLLARS) + BigInt(this.#sums.get(name)?.[group] ?? 0)
  }

  reset(): void {
    for (const sums of this.#sums.values()) sums.fill(0, 0, this.#end)
    this.#touched.fill(0, 0, this.#end)
    this.#end = 0
  }

  #chooseGroups({ count, keys, tags }: CellBlock, choice: CellChoice): Int32Array | undefined {
    const { groupOf, quarters } = choice
    const [first, end] = quarters
    const groups = new Int32Array(count)
    let isAny = false
    for (let index = 0; index < count; index += 1) {
      const key = typeof keys === 'number' ? keys : (keys[index] ?? 0)
      const quarter = quarterOfKey(key)
      const set = typeof tags === 'number' ? tags : (tags[index] ?? 0)
      const group = quarter < first || quarter >= end ? -1 : groupOf(subjectOfKey(key), set)
      groups[index] = group
      if (group < 0) continue
      isAny = true
      this.#touch(group)
    }
    return isAny ? groups : undefined
  }

  #touch(group: number): void {
    if (group >= this.#touched.length) this.#growTo(group)
    this.#touched[group] = 1
    this.#end = Math.max(this.#end, group + 1)
  }

  #growTo(group: number): void {
    const capacity = (group + 1) * 2
    const touched = new Uint8Array(capacity)
    touched.set(this.#touched)
    this.#touched = touched
    for (const [name, sums] of this.#sums) {
      const larger = new Float64Array(capacity)
      larger.set(sums)
      this.#sums.set(name, larger)
    }
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
      for (let group = 0; group < this.#end; group += 1) {
        const rest = rests[group] ?? 0
        const whole = Math.trunc(rest / NANO_DOLLARS)
        wholes[group] = (wholes[group] ?? 0) + whole
        rests[group] = rest - whole * NANO_DOLLARS
      }
    }
  }

  #addMoney(name: string, column: PackedColumn, groups: Int32Array): void {
    const [rests, wholes] = [this.#column(name), this.#column(wholeColumn(name))]
    for (let index = 0; index < groups.length; index += 1) {
      const group = groups[index] ?? -1
      if (group < 0) continue
      const amount = typeof column === 'number' ? column : (column[index] ?? 0)
      const whole = Math.trunc(amount / NANO_DOLLARS)
      wholes[group] = (wholes[group] ?? 0) + whole
      rests[group] = (rests[group] ?? 0) + (amount - whole * NANO_DOLLARS)
    }
  }
}

function addTo(sums: Float64Array, column: PackedColumn, groups: Int32Array): void {
  for (let index = 0; index < groups.length; index += 1) {
    const group = groups[index] ?? -1
    if (group < 0) continue
    sums[group] = (sums[group] ?? 0) + (typeof column === 'number' ? column : (column[index] ?? 0))
  }
}

function readClasses(of: (name: string) => number): Readonly<Record<UsageClass, number>> {
  const { toolCalls: _toolCalls, estimated: _estimated, ...none } = noUsage
  const classes: Record<UsageClass, number> = { ...none }
  for (const name of usageClasses) classes[name] = of(usageColumns[name])
  return classes
}
