import type { NanoDollars } from '../../canonical/money.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'

/** The time after which a budget starts again at zero. Minutes, hours and days end by the time zone's clock. */
export type BudgetWindow =
  | {
      readonly type: 'calendar'
      readonly unit: CalendarUnit
      /** An IANA time zone name. */
      readonly timeZone: string
    }
  | { readonly type: 'rolling'; readonly lengthMs: number }
  | { readonly type: 'total' }

export const calendarUnits = ['minute', 'hour', 'day', 'week', 'month'] as const
export type CalendarUnit = (typeof calendarUnits)[number]

/**
 * The modes of a budget. `exact` is never exceeded, whatever fails. `estimate` checks the spending so far. `observe`
 * only warns.
 */
export const budgetModes = ['exact', 'estimate', 'observe'] as const
export type BudgetMode = (typeof budgetModes)[number]

/** The action when the worst-case cost of a request does not fit into the budget. */
export type AtLimit =
  | { readonly type: 'clamp' }
  | { readonly type: 'refuse' }
  /** Uses another public name instead, which the key must be granted as well. */
  | { readonly type: 'fallback'; readonly model: string }

/** The terms of a budget that the operator chooses, whatever the budget applies to. */
export interface BudgetTerms {
  /** Undefined if the window serves as the name. */
  readonly name: string | undefined
  /** Undefined for no limit. */
  readonly limit: NanoDollars | undefined
  readonly window: BudgetWindow
  readonly mode: BudgetMode
  readonly atLimit: AtLimit
  /** Thresholds in percent of the limit, in rising order. Operators are warned once per window at each of them. */
  readonly warnAt: readonly number[]
}

/** The window in the syntax of the configuration, such as `day` or `rolling 5h`. */
export function writeWindow(window: BudgetWindow): string {
  switch (window.type) {
    case 'calendar':
      return window.unit
    case 'rolling':
      return `rolling ${writeDuration(window.lengthMs)}`
    case 'total':
      return 'total'
  }
}
