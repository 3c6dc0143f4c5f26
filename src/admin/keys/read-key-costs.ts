import type { KeyId } from '../../access/key.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { spanAt } from '../../metering/budgets/budget-window.ts'
import { isLedgerAway } from '../../metering/is-ledger-away.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import { USAGE_SLOT_MS } from '../../metering/usage-query.ts'
import type { ReadKeyCosts } from './manage-keys.ts'

/** Reads the keys' costs from the usage totals. If the ledger cannot be read, keys are listed without costs. */
export function createKeyCosts(
  reader: Pick<LedgerReader, 'usage'>,
  clock: Pick<Clock, 'nowMs'>,
): ReadKeyCosts {
  return async (keyIds) => {
    try {
      return await readCosts(reader, keyIds, clock.nowMs())
    } catch (error) {
      if (isLedgerAway(error)) return undefined
      throw error
    }
  }
}

async function readCosts(
  reader: Pick<LedgerReader, 'usage'>,
  keyIds: readonly KeyId[],
  nowMs: number,
): Promise<ReadonlyMap<string, bigint>> {
  if (keyIds.length === 0) return new Map()
  const { startMs } = spanAt({ type: 'calendar', unit: 'month', timeZone: 'UTC' }, nowMs)
  const { groups } = await reader.usage({
    by: ['key'],
    sinceMs: startMs,
    untilMs: (Math.floor(nowMs / USAGE_SLOT_MS) + 1) * USAGE_SLOT_MS,
    timeZone: 'UTC',
    filter: { keyIds },
    order: 'name',
    limit: keyIds.length,
  })
  return new Map(groups.map(({ names, cost }) => [names[0] ?? '', cost]))
}
