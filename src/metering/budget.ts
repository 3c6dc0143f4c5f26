import type { KeyId } from '../access/key.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Branded } from '../kit/values/brand.ts'

/** Stays the same over restarts and changes of the limit, such as `key/k_1/day` or `budget/all`. */
export type BudgetId = Branded<string, 'BudgetId'>

export type BudgetScope =
  | { readonly type: 'key'; readonly keyId: KeyId }
  | { readonly type: 'user'; readonly userId: string }
  | { readonly type: 'group'; readonly group: string }
  /** Without a value, every value of the tag has a budget of its own. */
  | { readonly type: 'tag'; readonly name: string; readonly value: string | undefined }
  /** A public name. */
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'channel'; readonly channel: string }
  | { readonly type: 'installation' }

/** The time after which a budget starts anew. Minutes, hours and days end by the time zone's clock. */
export type BudgetWindow =
  | {
      readonly type: 'calendar'
      readonly unit: 'minute' | 'hour' | 'day' | 'week' | 'month'
      /** An IANA name. */
      readonly timeZone: string
    }
  | { readonly type: 'rolling'; readonly lengthMs: number }
  | { readonly type: 'total' }

/** `exact` is never overshot, whatever fails; `estimate` checks what is spent so far; `observe` only warns. */
export const budgetModes = ['exact', 'estimate', 'observe'] as const
export type BudgetMode = (typeof budgetModes)[number]

/** What follows where the worst case of a request does not fit. */
export type AtLimit =
  | { readonly type: 'clamp' }
  | { readonly type: 'refuse' }
  /** Another public name, which the key must be granted as well. */
  | { readonly type: 'fallback'; readonly model: string }

export interface Budget {
  readonly id: BudgetId
  /** By which people and errors call it. */
  readonly name: string
  readonly scope: BudgetScope
  /** Undefined: unlimited. */
  readonly limit: NanoDollars | undefined
  readonly window: BudgetWindow
  readonly mode: BudgetMode
  readonly atLimit: AtLimit
  /** Shares of the limit, in percent, at each of which operators are warned once in a window. */
  readonly warnAt: readonly number[]
}

export type CountedSum = 'charged' | 'cost'

/** Budgets of callers add up what they are charged, budgets of the provider's side what the provider asks. */
export function countedAmount(scope: BudgetScope): CountedSum {
  return scope.type === 'channel' || scope.type === 'model' || scope.type === 'installation'
    ? 'cost'
    : 'charged'
}
