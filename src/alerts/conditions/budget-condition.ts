import type { NanoDollars } from '../../canonical/money.ts'
import { type Budget, quoteBudget } from '../../metering/budget.ts'
import {
  describeThreshold,
  type ReachedThreshold,
  writeThreshold,
} from '../../metering/budgets/reached-threshold.ts'
import type { Alert, Condition, Severity } from '../alert.ts'
import type { AlertEnd } from '../open-alerts.ts'

const WARNING_PERCENT = 80
const CRITICAL_PERCENT = 100

function severityOf(percent: number): Severity {
  if (percent >= CRITICAL_PERCENT) return 'critical'
  return percent >= WARNING_PERCENT ? 'warning' : 'info'
}

export function budgetIdentity({ id }: Pick<Budget, 'id'>, tagValue: string | undefined): string {
  return `budget:${JSON.stringify(tagValue === undefined ? [id] : [id, tagValue])}`
}

/** A share of a budget is spent. */
export function budgetCondition(reached: ReachedThreshold, rule: string): Condition {
  const { budget, tagValue, percent } = reached
  return {
    identity: budgetIdentity(budget, tagValue),
    kind: 'budget',
    rule,
    severity: severityOf(percent),
    level: percent,
    subject: { budget: budget.name },
    message: describeThreshold(reached),
    advice: undefined,
    details: writeThreshold(reached),
  }
}

/** The amounts of a budget at one time. */
export interface BudgetReading {
  readonly budget: Budget
  readonly tagValue: string | undefined
  readonly limit: NanoDollars | undefined
  readonly spent: NanoDollars
  readonly windowStartMs: number
  readonly resetsAtMs: number | undefined
}

/** Hysteresis: spending must fall this far below a threshold, so that a rolling budget does not waver around it. */
const HYSTERESIS = 0.95

/**
 * The new condition or the end of an open alert on a budget. A new window ends the alert, and so does spending below
 * the lowest threshold. A raised limit lowers its level. Undefined if nothing changed.
 */
export function judgeBudget(alert: Alert, state: BudgetReading): Condition | AlertEnd | undefined {
  const { budget, tagValue, limit, spent, windowStartMs } = state
  const name = `the budget ${quoteBudget(budget, tagValue)}`
  if (limit === undefined) return { as: 'changed', message: `${name} has no limit any more` }
  const startedAt = alert.details['window_start']
  const isFixed = budget.window.type !== 'rolling'
  if (isFixed && typeof startedAt === 'string' && Date.parse(startedAt) !== windowStartMs)
    return { as: 'recovered', message: `${name} has reset` }
  const shareOf = (percent: number) => (limit * percent * HYSTERESIS) / 100
  const reached = budget.warnAt.filter((percent) => spent >= shareOf(percent))
  const level = Math.max(0, ...reached)
  if (level >= alert.level) return undefined
  if (level === 0) return { as: 'recovered', message: `${name} is below the shares that it warns at` }
  return budgetCondition({ ...state, limit, percent: level }, alert.rule)
}
