import type { Caller, KeyId } from '../../src/access/key.ts'
import type { BudgetTerms } from '../../src/access/limits/budget-terms.ts'
import { brand } from '../../src/kit/brand.ts'
import { BudgetMeter } from '../../src/metering/budgets/budget-meter.ts'
import { lowestRemainingLimit, readAccount } from '../../src/metering/caller-account.ts'
import type { CounterState } from '../../src/metering/ledger-store.ts'
import { createLimitIndex } from '../../src/metering/limit-index.ts'
import { RateLimiter } from '../../src/metering/rates/rate-limiter.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { openCaller } from '../support/key-terms.ts'
import { nano } from '../support/ledger-row.ts'

const LIMIT = nano(1_000_000 * 1e9)
const day: BudgetTerms = {
  name: undefined,
  limit: LIMIT,
  mode: 'exact',
  atLimit: { type: 'refuse' },
  warnAt: [],
  window: { type: 'calendar', unit: 'day', timeZone: 'UTC' },
}

export interface RemainingBudget {
  readonly elapsedMs: number
  /** The amount that the key has spent in its window, as the answer has it. */
  readonly used: number
}

/** Asks for what each key has left, as `GET /v1/key` does, in a process that started from these windows. */
export function askRemainingBudgets(
  windows: readonly CounterState[],
  { keys, nowMs }: { readonly keys: number; readonly nowMs: number },
): readonly RemainingBudget[] {
  const meter = new BudgetMeter()
  meter.load(windows)
  const limits = createLimitIndex({
    groups: [],
    users: [],
    budgets: [],
    rates: { installation: undefined, models: new Map() },
  })
  const rates = new RateLimiter({ clock: createFakeClock() })
  return Array.from({ length: keys }, (_, index) => {
    const keyId = brand<KeyId>(`key_${index}`)
    const caller: Caller = { ...openCaller, keyId, keyName: `key-${index}`, budgets: [day] }
    const startedMs = performance.now()
    const limit = lowestRemainingLimit(readAccount(caller, { limits, meter, rates }, nowMs))
    return { elapsedMs: performance.now() - startedMs, used: limit?.used ?? Number.NaN }
  })
}
