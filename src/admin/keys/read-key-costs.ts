import type { Clock } from '../../kit/time/clock.ts'
import { spanAt } from '../../metering/budgets/budget-window.ts'
import { isLedgerAway } from '../../metering/is-ledger-away.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import { USAGE_SLOT_MS, type UsageCursor } from '../../metering/usage-query.ts'
import type { ReadKeyCosts } from './manage-keys.ts'

const KEYS_A_PAGE = 1_000

/** Reads keys' costs from the sums of usage. Keys are listed without costs where the ledger cannot be read. */
export function createKeyCosts(
  reader: Pick<LedgerReader, 'usage'>,
  clock: Pick<Clock, 'nowMs'>,
): ReadKeyCosts {
  return async () => {
    try {
      return await readCosts(reader, clock.nowMs())
    } catch (error) {
      if (isLedgerAway(error)) return undefined
      throw error
    }
  }
}

/** Reads by pages, since what one page holds is processed in one turn of the event loop. */
async function readCosts(reader: Pick<LedgerReader, 'usage'>, nowMs: number): Promise<Map<string, bigint>> {
  const { startMs } = spanAt({ type: 'calendar', unit: 'month', timeZone: 'UTC' }, nowMs)
  const query = {
    by: ['key'],
    sinceMs: startMs,
    untilMs: (Math.floor(nowMs / USAGE_SLOT_MS) + 1) * USAGE_SLOT_MS,
    timeZone: 'UTC',
    filter: {},
    order: 'name',
    limit: KEYS_A_PAGE,
  } as const
  const costs = new Map<string, bigint>()
  for (let after: UsageCursor | undefined; ; ) {
    const { groups, hasMore } = await reader.usage({ ...query, after })
    for (const { names, cost } of groups) costs.set(names[0] ?? '', cost)
    after = groups.at(-1)
    if (!hasMore || after === undefined) return costs
  }
}
