import { writeWindow } from '../access/limits/budget-terms.ts'
import { usdOf } from '../access/limits/usd-schema.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { quoteBudget, writeScope } from './budget.ts'
import type { ReachedThreshold } from './budget-meter.ts'

/** For operators, such as `the budget "search" has spent 80 % of its limit`. */
export function describeThreshold({ budget, tagValue, percent }: ReachedThreshold): string {
  const name = `the budget ${quoteBudget(budget, tagValue)}`
  return percent >= 100 ? `${name} is spent` : `${name} has spent ${percent} % of its limit`
}

/** The same for programs. */
export function writeThreshold(reached: ReachedThreshold): JsonObject {
  const { budget, tagValue, percent, limit, spent, windowStartMs, resetsAtMs } = reached
  return {
    budget: budget.name,
    scope: writeScope(budget.scope),
    value: tagValue ?? null,
    window: writeWindow(budget.window),
    window_start: new Date(windowStartMs).toISOString(),
    resets_at: resetsAtMs === undefined ? null : new Date(resetsAtMs).toISOString(),
    mode: budget.mode,
    percent,
    limit_usd: usdOf(limit),
    spent_usd: usdOf(spent),
  }
}
