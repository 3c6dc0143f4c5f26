import { writeWindow } from '../../access/limits/budget-terms.ts'
import { usdOf } from '../../access/limits/usd-schema.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { type Budget, quoteBudget, writeScope } from '../budget.ts'

/** The event that the amount spent in a budget has reached a share of `warnAt`. */
export interface ReachedThreshold {
  readonly budget: Budget
  /** The value of the tag, for a budget of each value. Values beyond the bounds share one name. */
  readonly tagValue: string | undefined
  readonly percent: number
  /** The limit including the raises in force. */
  readonly limit: NanoDollars
  /** The amount spent, without the amount that resets gave back. */
  readonly spent: NanoDollars
  readonly windowStartMs: number
  /**
   * The time at which the budget resets; for a rolling window, the time at which its next part leaves it. Undefined:
   * never.
   */
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
