import type { KeyTerms } from './key.ts'
import { budgetLabel } from './limits/budget-schema.ts'
import { writeBudget, writeRate } from './limits/write-limits.ts'
import { writeGrant } from './permission.ts'

/** The terms of a key as lines of text for the audit log. The secret is never among them. */
export function describeTerms(key: KeyTerms): readonly string[] {
  const { name, permission, group, allowIps, expiresAtMs, disabled, dryRun } = key
  const models = permission.type === 'all' ? 'every model' : writeGrant(permission).join(', ')
  return [
    `name: ${name}`,
    `models: ${models}`,
    ...(group === undefined ? [] : [`group: ${group}`]),
    ...(allowIps.length === 0 ? [] : [`addresses: ${allowIps.join(', ')}`]),
    ...(expiresAtMs === undefined ? [] : [`expires: ${new Date(expiresAtMs).toISOString()}`]),
    ...(disabled ? ['disabled'] : []),
    ...(dryRun ? ['dry runs: allowed'] : []),
    ...describeLimits(key),
  ]
}

function describeLimits(key: KeyTerms): readonly string[] {
  const { user, budgets, rate, tags, callerTags, endUserBudget, passthrough } = key
  return [
    ...(user === undefined ? [] : [`user: ${user}`]),
    ...budgets.map((budget) => `budget ${budgetLabel(budget)}: ${JSON.stringify(writeBudget(budget))}`),
    ...(rate === undefined ? [] : [`rate: ${JSON.stringify(writeRate(rate))}`]),
    ...Object.entries(tags).map(([tag, value]) => `tag ${tag}: ${value}`),
    ...(callerTags ? ["callers' tags: allowed"] : []),
    ...(endUserBudget === undefined
      ? []
      : [`budget of each end user: ${JSON.stringify(writeBudget(endUserBudget))}`]),
    ...(passthrough.length === 0 ? [] : [`passthrough: ${passthrough.join(', ')}`]),
  ]
}
