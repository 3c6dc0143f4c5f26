import type { UsageQuery } from '../../../metering/usage-query.ts'
import type { CellGroups } from './cell-groups.ts'
import type { GroupCollector } from './group-collector.ts'
import { isTimeDimension, type UsageBucket } from './usage-buckets.ts'
import type { GroupSums } from './usage-sums.ts'

interface ListParts {
  readonly groups: CellGroups
  readonly collector: GroupCollector
}

/**
 * Hands the groups of each stretch of time to the collector. By hours of a month there are a million of them,
 * of which a page has few: a group whose names before the time are beyond the page is not looked at again.
 */
export class GroupLister {
  readonly #by: UsageQuery['by']
  readonly #parts: ListParts
  /** The number of names before the first time. */
  readonly #namesBeforeTime: number
  /** The names of each group by its number; a time among them is that of the stretch listed last. */
  readonly #names: (string | null)[][] = []
  readonly #beyond: boolean[] = []

  constructor({ by }: UsageQuery, parts: ListParts) {
    this.#by = by
    this.#parts = parts
    this.#namesBeforeTime = by.findIndex(isTimeDimension)
  }

  list(sums: GroupSums, bucket: UsageBucket): void {
    const { collector } = this.#parts
    for (let group = 0; group < sums.end; group += 1) {
      if (!sums.has(group) || this.#beyond[group] === true) continue
      const names = this.#namesOf(group, bucket)
      if (collector.mayCollect(names, { sums, group }))
        collector.collect({ ...sums.sumsOf(group), names: [...names] })
      else if (this.#namesBeforeTime > 0 && collector.isBeyond(names.slice(0, this.#namesBeforeTime)))
        this.#beyond[group] = true
    }
  }

  #namesOf(group: number, bucket: UsageBucket): readonly (string | null)[] {
    const names = this.#names[group] ?? this.#parts.groups.namesOf(group)
    this.#names[group] = names
    if (this.#namesBeforeTime === -1) return names
    for (let index = this.#namesBeforeTime; index < names.length; index += 1) {
      const by = this.#by[index]
      if (by !== undefined && isTimeDimension(by)) names[index] = bucket.names[by]
    }
    return names
  }
}
