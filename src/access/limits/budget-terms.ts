import type { NanoDollars } from '../../canonical/money.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'

/** The time after which a budget starts anew. Minutes, hours and days end by the time zone's clock. */
export type BudgetWindow =
  | {
      readonly type: 'calendar'
      readonly unit: CalendarUnit
      /** An IANA name. */
      readonly timeZone: string
    }
  | { readonly type: 'rolling'; readonly lengthMs: number }
  | { readonly type: 'total' }

export const calendarUnits = ['minute', 'hour', 'day', 'week', 'month'] as const
export type CalendarUnit = (typeof calendarUnits)[number]

/** `exact` is never overshot, whatever fails; `estimate` checks what is spent so far; `observe` only warns. */
export const budgetModes = ['exact', 'estimate', 'observe'] as const
export type BudgetMode = (typeof budgetModes)[number]

/** The consequence where the worst case of a request does not fit. */
export type AtLimit =
  | { readonly type: 'clamp' }
  | { readonly type: 'refuse' }
  /** Another public name, which the key must be granted as well. */
  | { readonly type: 'fallback'; readonly model: string }

/** The terms that an operator decides of a budget, whatever it stands on. */
export interface BudgetTerms {
  /** Undefined: it is called by its window. */
  readonly name: string | undefined
  /** Undefined: unlimited. */
  readonly limit: NanoDollars | undefined
  readonly window: BudgetWindow
  readonly mode: BudgetMode
  readonly atLimit: AtLimit
  /** Shares of the limit, in percent and rising, at each of which operators are warned once in a window. */
  readonly warnAt: readonly number[]
}

/** The window as the configuration writes it, such as `day` or `rolling 5h`. */
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
