import type { BudgetView } from '../../../../src/admin/budgets/budget-contract.ts'
import { DEFAULT_CODE_REASON } from '../../../../src/admin/credits/credit-contract.ts'
import { findText, t } from '../../language/language.ts'

/** The scope of a budget or a credit in words, such as "Key ci" for `key:ci`. */
export function nameScope(scope: string): string {
  const colon = scope.indexOf(':')
  if (colon === -1) return findText(`budgets.scope.${scope}`) ?? scope
  const type = findText(`budgets.scope.${scope.slice(0, colon)}`) ?? scope.slice(0, colon)
  return `${type} ${scope.slice(colon + 1)}`
}

/**
 * A budget of a key, a user or a group in words, such as "Group search, month" for `group:search/month`. The scope tells
 * the end users of a key from a key whose own name ends in `/end_user`.
 */
export function nameBudget({ name, scope }: Pick<BudgetView, 'name' | 'scope'>): string {
  const [, owner, own] = /^((?:key|user|group):.+)\/([^/]+)$/.exec(name) ?? []
  if (owner === undefined || own === undefined) return name
  const ofWhom = scope === 'tag:end_user' ? nameEndUsers(owner) : nameScope(owner)
  return t('budgets.named', { scope: ofWhom, name: findText(`budgets.window.${own}`) ?? own })
}

function nameEndUsers(owner: string): string {
  const [, key] = /^key:(.+)\/end_user$/.exec(owner) ?? []
  return key === undefined ? nameScope(owner) : t('budgets.end_users', { name: key })
}

/** The amount that a budget measures: the charges to callers, or the costs at providers. */
export function nameCounted(scope: string): string {
  const isCost = scope === 'installation' || /^(model|channel):/.test(scope)
  return t(isCost ? 'budgets.counts.cost' : 'budgets.counts.charged')
}

/** The reason of a code or a grant. Empty for a code without one, since its place already says what it is. */
export function shownReason(reason: string): string {
  return reason === DEFAULT_CODE_REASON ? '' : reason
}

/** Names the definition of a budget without an entry: what it limits, or the key whose end users it limits. */
export function nameDefinition({ name, scope }: Pick<BudgetView, 'name' | 'scope'>): string {
  const [, key] = scope === 'tag:end_user' ? (/^key:(.+)\/end_user\/[^/]+$/.exec(name) ?? []) : []
  return key === undefined ? t('budgets.owner.subject') : t('budgets.owner.key', { name: key })
}
