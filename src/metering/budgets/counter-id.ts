import { brand } from '../../kit/brand.ts'
import type { BudgetId } from '../budget.ts'

/** The subject of a counter: a budget or, of a budget of every value of a tag, one value. */
export interface CounterSubject {
  readonly budgetId: BudgetId
  readonly tagValue: string | undefined
}

/** The last part of a budget's id is its window, which has no equals sign: the first one there begins the value. */
export function writeCounterId({ budgetId, tagValue }: CounterSubject): string {
  return tagValue === undefined ? budgetId : `${budgetId}=${tagValue.replace(/[%/]/g, encodeURIComponent)}`
}

export function readCounterId(counter: string): CounterSubject {
  const equals = counter.indexOf('=', counter.lastIndexOf('/') + 1)
  if (equals === -1) return { budgetId: brand<BudgetId>(counter), tagValue: undefined }
  const value = counter
    .slice(equals + 1)
    .replace(/%2F/g, '/')
    .replace(/%25/g, '%')
  return { budgetId: brand<BudgetId>(counter.slice(0, equals)), tagValue: value }
}
