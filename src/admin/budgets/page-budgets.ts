import { type Budget, writeScope } from '../../metering/budget.ts'
import { readListCursor, readSort } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { type ListPage, pageList } from '../paging/page-list.ts'
import { readInput } from '../read-input.ts'
import type { ListBudgets } from './budget-contract.ts'
import type { BudgetControl } from './budget-control.ts'
import { budgetSorts, listBudgetsSchema } from './budget-input-schema.ts'
import { isOfEveryValue } from './find-budget.ts'

type BudgetSort = (typeof budgetSorts)[number]

/** Reads a page of the matching budgets, with the amounts that other processes have spent from them. */
export async function readBudgetPage(
  budgets: readonly Budget[],
  input: ListBudgets,
  control: Pick<BudgetControl, 'learnOthers' | 'status'>,
): Promise<ListPage<Budget>> {
  const learn = (some: readonly Budget[]) => control.learnOthers(some.map((budget) => ({ budget })))
  const needsAll = input.sort !== undefined && !input.sort.endsWith('name')
  if (needsAll) await learn(budgets)
  const page = pageBudgets(budgets, input, control)
  if (!needsAll) await learn(page.items)
  return page
}

/** A page of the matching budgets. Their status is read only if the sort order needs it. */
function pageBudgets(
  budgets: readonly Budget[],
  input: ListBudgets,
  control: Pick<BudgetControl, 'status'>,
): ListPage<Budget> {
  const { q = '', scope, sort, after, limit = DEFAULT_PAGE_ROWS } = readInput(listBudgetsSchema, input)
  const { by, descending } = readSort(sort, budgetSorts)
  const fitting = budgets.filter(
    (budget) =>
      (scope === undefined || budget.scope.type === scope || writeScope(budget.scope) === scope) &&
      budget.name.toLowerCase().includes(q.toLowerCase()),
  )
  return pageList(fitting, {
    sortValueOf: (budget) => sortValueOf(budget, by, control),
    idOf: ({ id }) => id,
    descending,
    after: readListCursor(after, by === 'name' ? 'string' : 'number'),
    limit,
  })
}

/** A budget that applies to each value of a tag has no spending of its own. */
function sortValueOf(
  budget: Budget,
  by: BudgetSort,
  control: Pick<BudgetControl, 'status'>,
): string | number {
  if (by === 'name') return budget.name
  if (isOfEveryValue(budget)) return 0
  const { spent, limit } = control.status({ budget })
  if (by === 'spent') return spent
  return limit === undefined || limit === 0 ? 0 : spent / limit
}
