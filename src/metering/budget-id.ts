import { type BudgetTerms, writeWindow } from '../access/limits/budget-terms.ts'
import { brand } from '../kit/values/brand.ts'
import { type BudgetId, writeScope } from './budget.ts'
import type { InstallationBudget } from './installation-budget-schema.ts'

/** What has budgets of its own. */
export type BudgetOwner = 'key' | 'user' | 'group' | 'end-user'

/**
 * Of a budget among those of a key, a user or a group. The window is a part of it, so that another window starts from
 * nothing; limit, mode and time zone are not.
 */
export function ownBudgetId(owner: BudgetOwner, id: string, { name, window }: BudgetTerms): BudgetId {
  return joinId([owner, id, ...(name === undefined ? [] : [name]), writeWindow(window)])
}

/** Of an entry of the section `budgets`. */
export function installationBudgetId({ name, scope, terms }: InstallationBudget): BudgetId {
  return joinId([writeScope(scope), name, writeWindow(terms.window)])
}

function joinId(parts: readonly string[]): BudgetId {
  return brand<BudgetId>(parts.map(escapePart).join('/'))
}

/** A slash stands between parts alone. */
function escapePart(part: string): string {
  return part.replace(/[%/]/g, encodeURIComponent)
}
