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
 * Passes the groups of each time bucket to the collector. A report by the hours of a month has a million groups, and
 * a page shows few of them. A group whose names before the time are beyond the page is therefore skipped in later
 * buckets.
 */
export class GroupLister {
  readonly #by: UsageQuery['by']
  readonly #parts: ListParts
  /** The number of names before the first time. */
  readonly #namesBeforeTime: number
  /** The names of each group by its number. A time among them is that of the bucket listed last. */
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
