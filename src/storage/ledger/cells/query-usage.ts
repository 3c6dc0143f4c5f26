import {
  USAGE_SLOT_MS,
  type UsageGroup,
  type UsagePage,
  type UsageQuery,
} from '../../../metering/usage-query.ts'
import type { SubjectIndex } from '../rows/subject-index.ts'
import { CellGroups } from './cell-groups.ts'
import type { CellReader } from './cell-reader.ts'
import { GroupCollector } from './group-collector.ts'
import { GroupLister } from './group-lister.ts'
import type { SlotRange } from './open-cells.ts'
import { listBuckets, splitIntoStoredRanges } from './usage-buckets.ts'
import { GroupSums } from './usage-sums.ts'

const WHOLE_HOUR = [0, 4] as const

export interface UsageSource {
  readonly cells: CellReader
  readonly subjects: SubjectIndex
  /** Throws once the report has taken too long. */
  readonly checkTime: () => void
}

/**
 * Adds up usage, one time bucket after the other and piece by piece within each. It needs memory for one piece and
 * for the groups.
 */
export function queryUsage(query: UsageQuery, { cells, subjects, checkTime }: UsageSource): UsagePage {
  subjects.refresh()
  const groups = new CellGroups(query, subjects)
  const collector = new GroupCollector(query)
  const lister = new GroupLister(query, { groups, collector })
  const [sums, totals] = [new GroupSums(), new GroupSums()]
  const ends = cells.ends()
  for (const bucket of listBuckets(withinDays(query, ends.days))) {
    for (const range of splitIntoStoredRanges(bucket)) {
      checkTime()
      const quarters = range.type === 'hour' ? range.quarters : WHOLE_HOUR
      for (const block of cells.read(range, ends)) sums.add(block, { groups, quarters })
    }
    totals.addAll(sums)
    lister.list(sums, bucket)
    sums.reset()
  }
  const { groups: found, hasMore } = collector.page()
  return { groups: found, hasMore, totals: totals.sumsOf(0), keyNames: findKeyNames(query, found, subjects) }
}

function withinDays(query: UsageQuery, { first, end }: SlotRange): UsageQuery {
  return {
    ...query,
    sinceMs: Math.max(query.sinceMs, first * USAGE_SLOT_MS),
    untilMs: Math.min(query.untilMs, end * USAGE_SLOT_MS),
  }
}

function findKeyNames(
  { by }: UsageQuery,
  groups: readonly UsageGroup[],
  subjects: SubjectIndex,
): Readonly<Record<string, string>> {
  const index = by.indexOf('key')
  if (index === -1) return {}
  return subjects.keyNames(new Set(groups.flatMap(({ names }) => names[index] ?? [])))
}
