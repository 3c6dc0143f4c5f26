import type { Group } from '../../access/group.ts'
import type { InheritedTerms, KeyTerms } from '../../access/key.ts'
import type { KeyWarning } from '../../access/key-warning.ts'
import type { BudgetTerms } from '../../access/limits/budget-terms.ts'
import { type ModelGrant, matchesPattern, permits } from '../../access/permission.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type BudgetScope, writeScope } from '../../metering/budget.ts'
import type { Config } from '../config.ts'
import { type ConfigWarning, type GrantWarning, type WarnedOwner, warningOfOwner } from '../config-warning.ts'

export type LimitedConfig = Pick<Config, 'keys' | 'groups' | 'users' | 'budgets' | 'rates' | 'channels'>

/**
 * Warns about names in grants, budgets and rate limits that do not exist. `catalog` is undefined where an upstream's
 * model list is not known yet, since any name may be in that list.
 */
export function warnOfLimits(config: LimitedConfig, catalog: Catalog | undefined): readonly ConfigWarning[] {
  const ofScopes = config.budgets.flatMap(({ name, scope }): readonly ConfigWarning[] =>
    isThere(scope, config, catalog)
      ? []
      : [{ kind: 'absent_scope', values: { budget: name, scope: writeScope(scope) } }],
  )
  if (catalog === undefined) return ofScopes
  const groups = new Map(config.groups.map((group) => [group.name, group]))
  const ofRates = [...config.rates.models.keys()].filter((model) => catalog.findRoute(model) === undefined)
  return [
    ...config.keys.flatMap((key) => {
      const group = key.group === undefined ? undefined : groups.get(key.group)
      return [...warnOfGrant(key.permission, catalog), ...warnOfGroup(key.permission, group, catalog)].map(
        (warning) => warningOfOwner(warning, { object: 'keys', owner: key.name }),
      )
    }),
    ...config.groups.flatMap(({ name, permission }) =>
      warnOfGrant(permission, catalog).map((warning) =>
        warningOfOwner(warning, { object: 'groups', owner: name }),
      ),
    ),
    ...ofScopes,
    ...ofRates.map((model): ConfigWarning => ({ kind: 'unserved_rate', values: { model } })),
    ...findFallbacks(config).flatMap((fallback) =>
      warnOfFallback(fallback, catalog).map((warning) => warningOfOwner(warning, fallback.owner)),
    ),
  ]
}

/** Warns about the names and patterns of a grant that match no model. */
function warnOfGrant(grant: ModelGrant, catalog: Catalog): readonly GrantWarning[] {
  if (grant.type === 'all') return []
  const unserved = [...grant.models].filter((model) => catalog.findRoute(model) === undefined)
  const empty = grant.patterns.filter((one) => !catalog.models.some(({ name }) => matchesPattern(one, name)))
  return [
    ...unserved.map((model) => ({ type: 'unserved_model', model }) as const),
    ...empty.map(({ text }) => ({ type: 'unmatched_pattern', pattern: text }) as const),
  ]
}

/**
 * Warns about models that a key is granted but its group is not, so that the key cannot use them. `group` is undefined
 * where the key has none.
 */
function warnOfGroup(grant: ModelGrant, group: Group | undefined, catalog: Catalog): readonly GrantWarning[] {
  if (group === undefined || grant.type === 'all') return []
  const { name, permission } = group
  const isWithheld = (model: string) => !permits(permission, model)
  const models = [...grant.models].filter(
    (model) => catalog.findRoute(model) !== undefined && isWithheld(model),
  )
  const patterns = grant.patterns.filter((pattern) => {
    const matched = catalog.models.filter((model) => matchesPattern(pattern, model.name))
    return matched.length > 0 && matched.every((model) => isWithheld(model.name))
  })
  return [...models, ...patterns.map(({ text }) => text)].map((model) => ({
    type: 'withheld_by_group',
    model,
    group: name,
  }))
}

/** Warns about a key that is not in the file. `catalog` is undefined where upstreams list more than is known. */
export function warnOfKey(
  key: InheritedTerms & Pick<KeyTerms, 'group'>,
  groups: ReadonlyMap<string, Group>,
  catalog: Catalog | undefined,
): readonly KeyWarning[] {
  const { permission, group, budgets, endUserBudget } = key
  const ofGroup: readonly KeyWarning[] =
    group === undefined || groups.has(group) ? [] : [{ type: 'unknown_group', group }]
  if (catalog === undefined) return ofGroup
  const all = [...budgets, ...(endUserBudget === undefined ? [] : [endUserBudget])]
  const ofFallbacks = fallbacksOf(all, permission).flatMap((each) => warnOfFallback(each, catalog))
  return [
    ...ofGroup,
    ...warnOfGrant(permission, catalog),
    ...warnOfGroup(permission, group === undefined ? undefined : groups.get(group), catalog),
    ...ofFallbacks,
  ]
}

/** Whether a budget can ever count a request. Keys outside the file are not known here. */
function isThere(
  scope: BudgetScope,
  { groups, channels }: LimitedConfig,
  catalog: Catalog | undefined,
): boolean {
  switch (scope.type) {
    case 'group':
      return groups.some(({ name }) => name === scope.name)
    case 'channel':
      return channels.some(({ name }) => name === scope.name)
    case 'model':
      return catalog === undefined || catalog.findRoute(scope.name) !== undefined
    case 'installation':
    case 'key':
    case 'user':
    case 'tag':
      return true
  }
}

interface WrittenFallback {
  readonly model: string
  /** The models that callers under this limit may use. Undefined where there are many such callers. */
  readonly grant: ModelGrant | undefined
}

interface OwnedFallback extends WrittenFallback {
  readonly owner: WarnedOwner
}

function findFallbacks({ keys, groups, users, budgets }: LimitedConfig): readonly OwnedFallback[] {
  const withOwner = (fallbacks: readonly WrittenFallback[], object: WarnedOwner['object'], owner: string) =>
    fallbacks.map(({ model, grant }) => ({ model, grant, owner: { object, owner } }))
  return [
    ...keys.flatMap(({ name, permission, budgets: own, endUserBudget }) => {
      const all = [...own, ...(endUserBudget === undefined ? [] : [endUserBudget])]
      return withOwner(fallbacksOf(all, permission), 'keys', name)
    }),
    ...groups.flatMap(({ name, permission, budgets: own }) =>
      withOwner(fallbacksOf(own, permission), 'groups', name),
    ),
    ...users.flatMap(({ name, budgets: own }) => withOwner(fallbacksOf(own, undefined), 'users', name)),
    ...budgets.flatMap(({ name, terms }) => withOwner(fallbacksOf([terms], undefined), 'budgets', name)),
  ]
}

function fallbacksOf(
  budgets: readonly BudgetTerms[],
  grant: ModelGrant | undefined,
): readonly WrittenFallback[] {
  return budgets.flatMap(({ atLimit }) =>
    atLimit.type === 'fallback' ? [{ model: atLimit.model, grant }] : [],
  )
}

function warnOfFallback({ model, grant }: WrittenFallback, catalog: Catalog): readonly GrantWarning[] {
  if (catalog.findRoute(model) === undefined) return [{ type: 'unserved_fallback', model }]
  if (grant === undefined || permits(grant, model)) return []
  return [{ type: 'ungranted_fallback', model }]
}
