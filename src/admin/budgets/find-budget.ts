import { GatewayError } from '../../canonical/failure.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import type { Budget } from '../../metering/budget.ts'

/** Finds a budget by its name or its ID. */
export function findBudget(budgets: readonly Budget[], reference: string): Budget {
  const found = budgets.find(({ name }) => name === reference) ?? budgets.find(({ id }) => id === reference)
  if (found !== undefined) return found
  const nearest = nearestName(
    reference,
    budgets.map(({ name }) => name),
  )
  const advice = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  const message = `There is no budget ${JSON.stringify(reference)}.${advice} "headgate budgets list" and GET /admin/v1/budgets list them.`
  throw new GatewayError('config_object_not_found', { param: 'name', message })
}

export function isOfEveryValue({ scope }: Budget): boolean {
  return scope.type === 'tag' && scope.value === undefined
}

/** The error for a reference that names a value of a budget without values. */
export function refuseValue({ name }: Budget): GatewayError {
  const message = `"value": the budget "${name}" has no values; leave it out.`
  return new GatewayError('invalid_field', { param: 'value', message })
}
