import type { Steps } from '../../../kit/async/steps.ts'
import { DAY_MS } from '../../../kit/time/time-units.ts'
import { USAGE_SLOT_MS, type UsageQuery } from '../../../metering/usage-query.ts'
import { queryUsage, type UsageSource } from './query-usage.ts'

/** Reports mostly ask for this month or the last one. */
const MAX_DAYS = 62

/** These reports read the blocks of days and those of hours. */
const reports = [['key', 'model'] as const, ['key', 'model', 'hour'] as const]

/**
 * Makes small reports of the last days with usage, a day in each step. Afterwards the data that a report of a month
 * reads is in the system's memory and its code is compiled; from a disk, the first report is slower.
 */
export function* readAhead({ cells, subjects }: Pick<UsageSource, 'cells' | 'subjects'>): Steps<void> {
  const { first, end } = cells.ends().days
  const [sinceMs, endMs] = [first * USAGE_SLOT_MS, end * USAGE_SLOT_MS]
  for (const by of reports) {
    for (let day = 1; day <= MAX_DAYS; day += 1) {
      const startMs = endMs - day * DAY_MS
      if (startMs < sinceMs) break
      const query: UsageQuery = {
        by,
        sinceMs: startMs,
        untilMs: startMs + DAY_MS,
        timeZone: 'UTC',
        filter: {},
        order: 'name',
        limit: 1,
      }
      queryUsage(query, { cells, subjects, checkTime: () => undefined })
      yield
    }
  }
}
