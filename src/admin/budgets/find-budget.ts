import type { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import type { Budget } from '../../metering/budget.ts'
import type { AppliedBudget } from '../../metering/meter.ts'
import { refuseField } from '../view-problem.ts'

/** Finds a budget by its name or its ID. A name that several budgets have is refused. */
export function findBudget(budgets: readonly Budget[], reference: string): Budget {
  const named = budgets.filter(({ name }) => name === reference)
  if (named.length > 1) throw refuseAmbiguous(reference, named)
  const found = named[0] ?? budgets.find(({ id }) => id === reference)
  if (found !== undefined) return found
  const nearest = nearestName(
    reference,
    budgets.map(({ name }) => name),
  )
  const advice = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  const message = `There is no budget ${JSON.stringify(reference)}.${advice} "headgate budgets list" and GET /admin/v1/budgets list them.`
  throw refuse('config_object_not_found', {
    param: 'name',
    message,
    fact: unknownName('budget', reference, nearest),
  })
}

/** The error for a name that a budget of end users of the key `app` shares with a budget of the key `app/end_user`. */
function refuseAmbiguous(name: string, budgets: readonly Budget[]): GatewayError {
  const values = budgets.map(({ id }) => id)
  const ids = values.map((id) => JSON.stringify(id)).join(', ')
  const message = `Several budgets have the name ${JSON.stringify(name)}. Give the ID of one of them: ${ids}.`
  return refuse('invalid_field', {
    param: 'name',
    message,
    fact: { code: 'unknown_value', values: { values } },
  })
}

export function isOfEveryValue({ scope }: Budget): boolean {
  return scope.type === 'tag' && scope.value === undefined
}

/** A budget and, if it applies to each value of a tag, the named value. */
export function applyBudget(budget: Budget, value: string | undefined): AppliedBudget {
  if (value === undefined) return { budget }
  if (isOfEveryValue(budget)) return { budget, tagValue: value }
  throw refuseValue(budget)
}

/** The same, but a value must be named if there are several. */
export function applyOneBudget(budget: Budget, value: string | undefined): AppliedBudget {
  if (value !== undefined || !isOfEveryValue(budget)) return applyBudget(budget, value)
  const message = `"value": each value has a budget "${budget.name}" of its own; name one.`
  throw refuseField('missing_field', { param: 'value', message, fact: { code: 'required', values: {} } })
}

/** The error for a reference that names a value of a budget without values. */
function refuseValue({ name }: Budget): GatewayError {
  const message = `"value": the budget "${name}" has no values; leave it out.`
  return refuse('invalid_field', {
    param: 'value',
    message,
    fact: { code: 'budget_without_values', values: { name } },
  })
}
