import type { UsageCursor, UsageGroup, UsageQuery } from '../../../metering/usage-query.ts'
import type { GroupSums } from './usage-sums.ts'

/** The groups held, in pages, before the list is cut to one page. */
const MAX_PAGES = 4

type Names = readonly (string | null)[]

interface SumsOfGroup {
  readonly sums: GroupSums
  readonly group: number
}

/** Takes the groups of a report as they come, and holds those of one page. */
export class GroupCollector {
  readonly #order: UsageQuery['order']
  readonly #after: UsageCursor | undefined
  readonly #wanted: number
  #groups: UsageGroup[] = []
  /** The last group that the page can still have. */
  #last: UsageCursor | undefined
  /** The cost of that one, rounded: nearly all others are refused by it alone. */
  #minCost = Number.NEGATIVE_INFINITY

  constructor({ order, after, limit }: Pick<UsageQuery, 'order' | 'after' | 'limit'>) {
    this.#order = order
    this.#after = after
    this.#wanted = limit + 1
  }

  /** Whether the group may be on the page. Only then its sums are made. */
  mayCollect(names: Names, { sums, group }: SumsOfGroup): boolean {
    const [first, last] = [this.#after, this.#last]
    if (first === undefined && last === undefined) return true
    if (this.#order === 'name')
      return !(
        (first !== undefined && compareNames(names, first.names) <= 0) ||
        (last !== undefined && compareNames(names, last.names) >= 0)
      )
    if (sums.isBelow(group, this.#minCost)) return false
    const cursor = { names, cost: sums.moneyOf(group, 'cost') }
    if (first !== undefined && this.#compare(cursor, first) <= 0) return false
    return last === undefined || this.#compare(cursor, last) < 0
  }

  /** Whether no group whose names begin with these comes on the page, whatever its sums are. */
  isBeyond(start: Names): boolean {
    if (this.#order !== 'name') return false
    if (this.#last !== undefined && compareNames(start, this.#last.names) > 0) return true
    return this.#after !== undefined && compareNames(start, this.#after.names) < 0
  }

  collect(group: UsageGroup): void {
    this.#groups.push(group)
    if (this.#groups.length >= this.#wanted * MAX_PAGES) this.#cut()
  }

  page(): { readonly groups: readonly UsageGroup[]; readonly hasMore: boolean } {
    this.#cut()
    const groups = this.#groups.slice(0, this.#wanted - 1)
    return { groups, hasMore: this.#groups.length > groups.length }
  }

  #cut(): void {
    this.#groups.sort((left, right) => this.#compare(left, right))
    this.#groups = this.#groups.slice(0, this.#wanted)
    if (this.#groups.length < this.#wanted) return
    this.#last = this.#groups.at(-1)
    this.#minCost = Number(this.#last?.cost)
  }

  #compare(left: UsageCursor, right: UsageCursor): number {
    if (this.#order === 'cost' && left.cost !== right.cost) return left.cost > right.cost ? -1 : 1
    return compareNames(left.names, right.names)
  }
}

/** Compares names from left to right, as many as the left has; an absent name comes before any. */
function compareNames(left: Names, right: Names): number {
  for (let index = 0; index < left.length; index += 1) {
    const [name, other] = [left[index] ?? null, right[index] ?? null]
    if (name === other) continue
    if (name === null) return -1
    return other === null || name > other ? 1 : -1
  }
  return 0
}
