import { type BudgetTerms, writeWindow } from '../access/limits/budget-terms.ts'
import { type Branded, brand } from '../kit/brand.ts'

/**
 * An ID that stays the same over restarts and changes of the limit, such as `key/key_1/day` or
 * `budget/installation/all/month`.
 */
export type BudgetId = Branded<string, 'BudgetId'>

/** The subject that a budget limits. */
export type BudgetScope =
  | { readonly type: 'installation' }
  /** The name of a key, a user, a group or a channel, or the public name of a model. */
  | { readonly type: 'key' | 'user' | 'group' | 'model' | 'channel'; readonly name: string }
  /** A tag. Without a `value`, each value of the tag has a budget of its own. */
  | { readonly type: 'tag'; readonly name: string; readonly value: string | undefined }

/** The terms that an operator sets for a budget, and the subject of the budget. */
export interface Budget extends BudgetTerms {
  readonly id: BudgetId
  /** The name of the budget for people and in errors. */
  readonly name: string
  readonly scope: BudgetScope
}

/** Whether the budget can refuse requests. Other budgets only count or warn. */
export function isLimiting({ mode, limit }: Pick<BudgetTerms, 'mode' | 'limit'>): boolean {
  return mode !== 'observe' && limit !== undefined
}

export type CountedSum = 'charged' | 'cost'

/**
 * Budgets of callers add up the amounts charged to them. Budgets of a model, a channel or the installation add up the
 * provider's cost.
 */
export function countedAmount(scope: BudgetScope): CountedSum {
  return scope.type === 'channel' || scope.type === 'model' || scope.type === 'installation'
    ? 'cost'
    : 'charged'
}

/** The budget's name for people, such as `"key:app/end_user/day" of "carol"`. */
export function quoteBudget({ name }: Pick<Budget, 'name'>, tagValue: string | undefined): string {
  const whose = tagValue === undefined ? '' : ` of ${JSON.stringify(tagValue)}`
  return `${JSON.stringify(name)}${whose}`
}

/** The scope in the spelling of the configuration, such as `tag:team=search`. */
export function writeScope(scope: BudgetScope): string {
  switch (scope.type) {
    case 'installation':
      return 'installation'
    case 'tag':
      return `tag:${scope.name}${scope.value === undefined ? '' : `=${scope.value}`}`
    case 'key':
    case 'user':
    case 'group':
    case 'model':
    case 'channel':
      return `${scope.type}:${scope.name}`
  }
}

/** The owners that can have budgets of their own. */
export type BudgetOwner = 'key' | 'user' | 'group' | 'end-user'

/**
 * The ID of a budget of a key, a user or a group. The window is a part of the ID, so a budget with another window
 * starts from zero. The limit, the mode and the time zone are not a part of it.
 */
export function ownBudgetId(owner: BudgetOwner, id: string, { name, window }: BudgetTerms): BudgetId {
  return joinId([owner, id, ...(name === undefined ? [] : [name]), writeWindow(window)])
}

/** The ID of an entry of the section `budgets`. */
export function installationBudgetId({
  name,
  scope,
  window,
}: Pick<Budget, 'name' | 'scope' | 'window'>): BudgetId {
  return joinId([writeScope(scope), name, writeWindow(window)])
}

function joinId(parts: readonly string[]): BudgetId {
  return brand<BudgetId>(parts.map(escapePart).join('/'))
}

/** Escapes a part of an ID, so that a slash only separates parts. */
function escapePart(part: string): string {
  return part.replace(/[%/]/g, encodeURIComponent)
}
