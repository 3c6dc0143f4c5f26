import { type BudgetTerms, writeWindow } from '../access/limits/budget-terms.ts'
import { type Branded, brand } from '../kit/brand.ts'

/**
 * An ID that stays the same over restarts and changes of the limit, such as `key/key_1/day` or
 * `budget/installation/all/month`.
 */
export type BudgetId = Branded<string, 'BudgetId'>

/** The subject that a budget stands on. */
export type BudgetScope =
  | { readonly type: 'installation' }
  /** The name of a key, a user, a group or a channel, or a public name. */
  | { readonly type: 'key' | 'user' | 'group' | 'model' | 'channel'; readonly name: string }
  /** The tag; without a value, every value of it has a budget of its own. */
  | { readonly type: 'tag'; readonly name: string; readonly value: string | undefined }

/** The terms that an operator decides of a budget, and what it stands on. */
export interface Budget extends BudgetTerms {
  readonly id: BudgetId
  /** The name by which people and errors call the budget. */
  readonly name: string
  readonly scope: BudgetScope
}

/** Whether it refuses requests at some point, where others only count or warn. */
export function isLimiting({ mode, limit }: Pick<BudgetTerms, 'mode' | 'limit'>): boolean {
  return mode !== 'observe' && limit !== undefined
}

export type CountedSum = 'charged' | 'cost'

/** Budgets of callers add up what they are charged, budgets of the provider's side what the provider asks. */
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

/** The scope as the configuration writes it, such as `tag:team=search`. */
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

/** The owners that have budgets of their own. */
export type BudgetOwner = 'key' | 'user' | 'group' | 'end-user'

/**
 * The ID of a budget of a key, a user or a group. The window is a part of it, so that another window starts
 * from nothing; limit, mode and time zone are not.
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

/** A slash stands between parts alone. */
function escapePart(part: string): string {
  return part.replace(/[%/]/g, encodeURIComponent)
}
