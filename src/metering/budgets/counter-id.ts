import { brand } from '../../kit/brand.ts'
import type { Budget, BudgetId } from '../budget.ts'

/** The subject of a counter: a budget, or one value of a tag for a budget of each value. */
export interface CounterSubject {
  readonly budgetId: BudgetId
  readonly tagValue: string | undefined
}

interface CountedBudget {
  readonly budget: Pick<Budget, 'id'>
  readonly tagValue?: string | undefined
}

/**
 * The last part of a budget's ID is its window, which contains no equals sign. The first equals sign in that part
 * therefore starts the value.
 */
export function writeCounterId({ budgetId, tagValue }: CounterSubject): string {
  return tagValue === undefined ? budgetId : `${budgetId}=${tagValue.replace(/[%/]/g, encodeURIComponent)}`
}

/** The beginning of the counter IDs of all values of a budget. */
export function valuePrefixOf(budgetId: BudgetId): string {
  return writeCounterId({ budgetId, tagValue: '' })
}

/** The ID of the counter of a budget, or of its counter for one value of a tag. */
export function counterIdOf({ budget, tagValue }: CountedBudget): string {
  return writeCounterId({ budgetId: budget.id, tagValue })
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
