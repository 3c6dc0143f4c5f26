import { writeWindow } from '../../access/limits/budget-terms.ts'
import { usdOf } from '../../access/limits/usd-schema.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { type Budget, quoteBudget, writeScope } from '../budget.ts'

/** A share of `warnAt` of a budget is spent. */
export interface ReachedThreshold {
  readonly budget: Budget
  /**
   * The value of the tag that a budget of every value reached the threshold for; the values beyond the bounds
   * share one.
   */
  readonly tagValue: string | undefined
  readonly percent: number
  /** The limit with the raises in force. */
  readonly limit: NanoDollars
  /** The amount spent, without what a reset gave back. */
  readonly spent: NanoDollars
  readonly windowStartMs: number
  /** The time at which it resets, a rolling window in part; undefined: never. */
  readonly resetsAtMs: number | undefined
}

/** A sentence for operators, such as `the budget "search" has spent 80 % of its limit`. */
export function describeThreshold({ budget, tagValue, percent }: ReachedThreshold): string {
  const name = `the budget ${quoteBudget(budget, tagValue)}`
  return percent >= 100 ? `${name} is spent` : `${name} has spent ${percent} % of its limit`
}

/** The threshold as JSON, for programs. */
export function writeThreshold(reached: ReachedThreshold): JsonObject {
  const { budget, tagValue, percent, limit, spent, windowStartMs, resetsAtMs } = reached
  return {
    budget: budget.name,
    scope: writeScope(budget.scope),
    value: tagValue ?? null,
    window: writeWindow(budget.window),
    window_start: writeTime(windowStartMs),
    resets_at: writeTimeOrNull(resetsAtMs),
    mode: budget.mode,
    percent,
    limit_usd: usdOf(limit),
    spent_usd: usdOf(spent),
  }
}
