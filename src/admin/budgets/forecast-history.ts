import { GatewayError } from '../../canonical/failure.ts'
import { END_USER_TAG } from '../../canonical/tags.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import { type Budget, type BudgetScope, countedAmount } from '../../metering/budget.ts'
import { FORECAST_HISTORY_HOURS } from '../../metering/budgets/forecast-budget.ts'
import type { LedgerReader } from '../../metering/ledger-reader.ts'
import type { AppliedBudget } from '../../metering/meter.ts'
import type { UsageFilter } from '../../metering/usage-query.ts'

/**
 * The amount that a budget's subject spent in each past hour, in nano-dollars. Undefined if the report took too long.
 * It is tried again in the next hour.
 */
export type HourlySpending = (applied: AppliedBudget) => Promise<ReadonlyMap<number, number> | undefined>

/** Past hours do not change, so they are cached and not read again each time budgets are listed. */
const MAX_REMEMBERED = 1_000

export function createHourlySpending(
  reader: Pick<LedgerReader, 'usage'>,
  clock: Pick<Clock, 'nowMs'>,
): HourlySpending {
  let rememberedHour = 0
  const remembered = new Map<string, ReturnType<HourlySpending>>()
  return (applied) => {
    const nowHour = Math.floor(clock.nowMs() / HOUR_MS)
    if (nowHour !== rememberedHour || remembered.size >= MAX_REMEMBERED) remembered.clear()
    rememberedHour = nowHour
    const name = JSON.stringify([applied.budget.scope, applied.tagValue, keyOfEndUsers(applied.budget)])
    const known = remembered.get(name)
    if (known !== undefined) return known
    const read = readHours(applied, reader, nowHour)
    remembered.set(name, read)
    // A failed read is not cached, so that it is tried again.
    read.catch(() => remembered.delete(name))
    return read
  }
}

async function readHours(
  { budget, tagValue }: AppliedBudget,
  reader: Pick<LedgerReader, 'usage'>,
  nowHour: number,
): ReturnType<HourlySpending> {
  const { scope } = budget
  const amount = countedAmount(scope)
  try {
    const page = await reader.usage({
      by: ['hour'],
      order: 'name',
      timeZone: 'UTC',
      limit: FORECAST_HISTORY_HOURS,
      sinceMs: (nowHour - FORECAST_HISTORY_HOURS) * HOUR_MS,
      untilMs: nowHour * HOUR_MS,
      filter: { ...filterOf(scope, tagValue), ...keyOfEndUsers(budget) },
    })
    return new Map(
      page.groups.map((group) => [Date.parse(group.names[0] ?? '') / HOUR_MS, Number(group[amount])]),
    )
  } catch (error) {
    if (error instanceof GatewayError && error.failure.code === 'report_too_slow') return undefined
    throw error
  }
}

/** A budget for each end user of a key, such as `key:app/end_user/day`, counts what that key spends. */
function keyOfEndUsers({ name, scope }: Pick<Budget, 'name' | 'scope'>): Pick<UsageFilter, 'key'> {
  if (scope.type !== 'tag' || scope.name !== END_USER_TAG) return {}
  const [, key] = /^key:([^/]+)\//.exec(name) ?? []
  return key === undefined ? {} : { key }
}

function filterOf(scope: BudgetScope, tagValue: string | undefined): UsageFilter {
  switch (scope.type) {
    case 'installation':
      return {}
    case 'tag': {
      const value = scope.value ?? tagValue
      return value === undefined ? {} : { tags: { [scope.name]: value } }
    }
    case 'key':
    case 'user':
    case 'group':
    case 'model':
    case 'channel':
      return { [scope.type]: scope.name }
  }
}
