import type { UsageCursor, UsageGroup, UsageQuery } from '../../../metering/usage-query.ts'
import type { GroupSums } from './usage-sums.ts'

/** The maximum number of pages of groups that are held before the list is cut to one page. */
const MAX_PAGES = 4

type Names = readonly (string | null)[]

interface SumsOfGroup {
  readonly sums: GroupSums
  readonly group: number
}

/** Receives the groups of a report in any order, and holds the groups of one page. */
export class GroupCollector {
  readonly #order: UsageQuery['order']
  readonly #after: UsageCursor | undefined
  readonly #wanted: number
  #groups: UsageGroup[] = []
  /** The last group that can still be on the page. */
  #last: UsageCursor | undefined
  /** The rounded cost of `#last`. This number excludes nearly all other groups. */
  #minCost = Number.NEGATIVE_INFINITY

  constructor({ order, after, limit }: Pick<UsageQuery, 'order' | 'after' | 'limit'>) {
    this.#order = order
    this.#after = after
    this.#wanted = limit + 1
  }

  /** Whether the group may be on the page. Only then are its sums built. */
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

  /** Whether all groups whose names begin with these are outside the page, whatever their sums are. */
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

/** Compares names from left to right, as many as `left` has. An absent name comes first. */
function compareNames(left: Names, right: Names): number {
  for (let index = 0; index < left.length; index += 1) {
    const [name, other] = [left[index] ?? null, right[index] ?? null]
    if (name === other) continue
    if (name === null) return -1
    return other === null || name > other ? 1 : -1
  }
  return 0
}
