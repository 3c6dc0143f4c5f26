import type { UsageCursor, UsageGroup, UsageQuery, UsageSums } from '../../../metering/usage-query.ts'

/** The groups held, in pages, before the list is cut to one page. */
const MOST_PAGES = 4

/** Takes the groups of a report as they come, and holds those of one page. */
export class GroupCollector {
  readonly #order: UsageQuery['order']
  readonly #after: UsageCursor | undefined
  readonly #wanted: number
  #groups: UsageGroup[] = []
  /** The last group that the page can still have. */
  #last: UsageCursor | undefined

  constructor({ order, after, limit }: Pick<UsageQuery, 'order' | 'after' | 'limit'>) {
    this.#order = order
    this.#after = after
    this.#wanted = limit + 1
  }

  /** Sums are asked for only where the group may be on the page. */
  add(cursor: UsageCursor, sums: () => UsageSums): void {
    if (this.#after !== undefined && this.#compare(cursor, this.#after) <= 0) return
    if (this.#last !== undefined && this.#compare(cursor, this.#last) >= 0) return
    this.#groups.push({ ...sums(), names: cursor.names })
    if (this.#groups.length >= this.#wanted * MOST_PAGES) this.#cut()
  }

  page(): { readonly groups: readonly UsageGroup[]; readonly hasMore: boolean } {
    this.#cut()
    const groups = this.#groups.slice(0, this.#wanted - 1)
    return { groups, hasMore: this.#groups.length > groups.length }
  }

  #cut(): void {
    this.#groups.sort((left, right) => this.#compare(left, right))
    this.#groups = this.#groups.slice(0, this.#wanted)
    if (this.#groups.length === this.#wanted) this.#last = this.#groups.at(-1)
  }

  #compare(left: UsageCursor, right: UsageCursor): number {
    if (this.#order === 'cost' && left.cost !== right.cost) return left.cost > right.cost ? -1 : 1
    return compareNames(left.names, right.names)
  }
}

/** From left to right; none comes before any. */
function compareNames(left: readonly (string | null)[], right: readonly (string | null)[]): number {
  for (const [index, name] of left.entries()) {
    const other = right[index] ?? null
    if (name === other) continue
    if (name === null) return -1
    return other === null || name > other ? 1 : -1
  }
  return 0
}
