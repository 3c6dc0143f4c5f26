import { usdOf } from '../../access/limits/usd-schema.ts'
import { refuse } from '../../canonical/refusal.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import { writeTimeOrNull } from '../../kit/time/write-time.ts'
import type { Budget } from '../../metering/budget.ts'
import type { BudgetStatus } from '../../metering/budgets/budget-meter.ts'
import { readInput } from '../read-input.ts'
import type { ListValues, ValueList, ValueView } from './budget-contract.ts'
import type { BudgetControl } from './budget-control.ts'
import { listValuesSchema } from './budget-input-schema.ts'
import { findBudget, isOfEveryValue } from './find-budget.ts'

const DEFAULT_LIMIT = 20
/**
 * A budget may have a hundred thousand values. The event loop gets a turn after this many, so that requests are
 * served.
 */
const VALUES_A_TURN = 500
/** The number of values for which other processes' spending is read. A list shows no more than this. */
const MAX_LEARNED = 1_000

interface ValueStatus {
  readonly value: string
  readonly status: BudgetStatus
}

export function findOfValues(budgets: readonly Budget[], reference: string): Budget {
  const budget = findBudget(budgets, reference)
  if (isOfEveryValue(budget)) return budget
  const message = `The budget "${budget.name}" has no values; "headgate budgets show" shows it.`
  throw refuse('invalid_field', {
    param: 'name',
    message,
    fact: { code: 'budget_without_values', values: { name: budget.name } },
  })
}

/** The values of a tag that spent the most. Each value has its own budget. */
export async function listValues(
  budget: Budget,
  input: ListValues,
  control: Pick<BudgetControl, 'values' | 'status' | 'learnTopValues'>,
): Promise<ValueList> {
  const { limit = DEFAULT_LIMIT } = readInput(listValuesSchema, input)
  await control.learnTopValues(budget, MAX_LEARNED)
  let [shown, count]: [readonly ValueStatus[], number] = [[], 0]
  const all = control.values(budget)
  for (let from = 0; from < all.length; from += VALUES_A_TURN) {
    if (from > 0) await nextTurn()
    const some = all
      .slice(from, from + VALUES_A_TURN)
      .map((value) => ({ value, status: control.status({ budget, tagValue: value }) }))
      .filter(({ status }) => status.spent > 0 || status.held > 0)
    count += some.length
    shown = [...shown, ...some].sort(bySpent).slice(0, limit)
  }
  return { data: shown.map(viewValue), values: count }
}

function bySpent({ status: one }: ValueStatus, { status: other }: ValueStatus): number {
  return other.spent - one.spent || other.held - one.held
}

function viewValue({ value, status }: ValueStatus): ValueView {
  const { limit, spent, held, remaining, resetsAtMs } = status
  return {
    value,
    limit_usd: limit === undefined ? 'unlimited' : usdOf(limit),
    spent_usd: usdOf(spent),
    held_usd: usdOf(held),
    remaining_usd: remaining === undefined ? null : usdOf(remaining),
    resets_at: writeTimeOrNull(resetsAtMs),
  }
}
