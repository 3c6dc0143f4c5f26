import type { Group } from '../../access/group.ts'
import type { InheritedTerms, KeyTerms } from '../../access/key.ts'
import type { BudgetTerms } from '../../access/limits/budget-terms.ts'
import { type ModelGrant, matchesPattern, permits } from '../../access/permission.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type BudgetScope, writeScope } from '../../metering/budget.ts'
import type { Config } from '../config.ts'

export type LimitedConfig = Pick<Config, 'keys' | 'groups' | 'users' | 'budgets' | 'rates' | 'channels'>

/**
 * The warnings about names in grants, budgets and rate limits that nothing has. `catalog` is undefined where upstreams
 * list models of which nothing is known yet: any name may be theirs.
 */
export function warnOfLimits(config: LimitedConfig, catalog: Catalog | undefined): readonly string[] {
  const ofScopes = config.budgets.flatMap(({ name, scope }) =>
    isThere(scope, config, catalog)
      ? []
      : [`budgets: "${name}" stands on ${writeScope(scope)}, which is not there`],
  )
  if (catalog === undefined) return ofScopes
  const groups = new Map(config.groups.map((group) => [group.name, group]))
  const ofRates = [...config.rates.models.keys()].filter((model) => catalog.findRoute(model) === undefined)
  return [
    ...config.keys.flatMap((key) => {
      const owner = `keys: "${key.name}"`
      const group = key.group === undefined ? undefined : groups.get(key.group)
      return [
        ...warnOfGrant(owner, key.permission, catalog),
        ...warnOfGroup({ owner, grant: key.permission, group }, catalog),
      ]
    }),
    ...config.groups.flatMap(({ name, permission }) => warnOfGrant(`groups: "${name}"`, permission, catalog)),
    ...ofScopes,
    ...ofRates.map((model) => `models: "${model}" has a rate limit, but no channel serves it`),
    ...findFallbacks(config).flatMap((fallback) => warnOfFallback(fallback, catalog)),
  ]
}

/** The names and patterns of a grant that lead to no model, a sentence each. */
function warnOfGrant(owner: string, grant: ModelGrant, catalog: Catalog): readonly string[] {
  if (grant.type === 'all') return []
  const unserved = [...grant.models].filter((model) => catalog.findRoute(model) === undefined)
  const empty = grant.patterns.filter((one) => !catalog.models.some(({ name }) => matchesPattern(one, name)))
  return [
    ...unserved.map((model) => `${owner} is granted "${model}", which no channel serves`),
    ...empty.map(({ text }) => `${owner} is granted "${text}", which no served model matches`),
  ]
}

interface GroupedGrant {
  readonly owner: string
  readonly grant: ModelGrant
  /** Undefined where the key has none. */
  readonly group: Group | undefined
}

/** The warning about what a key is granted and its group is not, so that it may not be used. */
function warnOfGroup({ owner, grant, group }: GroupedGrant, catalog: Catalog): readonly string[] {
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
  return [...models, ...patterns.map(({ text }) => text)].map(
    (text) => `${owner} is granted "${text}", which its group "${name}" is not granted`,
  )
}

/** The same of a key that the file does not have. `catalog` is undefined where upstreams list more than is known. */
export function warnOfKey(
  key: InheritedTerms & Pick<KeyTerms, 'group'>,
  groups: ReadonlyMap<string, Group>,
  catalog: Catalog | undefined,
): readonly string[] {
  const { permission, group, budgets, endUserBudget } = key
  const ofGroup =
    group === undefined || groups.has(group)
      ? []
      : [`there is no group "${group}", so the key may use nothing; add it to "groups" of the configuration`]
  if (catalog === undefined) return ofGroup
  const all = [...budgets, ...(endUserBudget === undefined ? [] : [endUserBudget])]
  const ofFallbacks = fallbacksOf('it', all, permission).flatMap((each) => warnOfFallback(each, catalog))
  const grouped = {
    owner: 'it',
    grant: permission,
    group: group === undefined ? undefined : groups.get(group),
  }
  return [
    ...ofGroup,
    ...warnOfGrant('it', permission, catalog),
    ...warnOfGroup(grouped, catalog),
    ...ofFallbacks,
  ]
}

/** Whether a budget can ever count anything. Keys that are not the file's are not known here. */
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
  readonly owner: string
  readonly model: string
  /** The models that the callers who meet it may use; undefined where they are many. */
  readonly grant: ModelGrant | undefined
}

function findFallbacks({ keys, groups, users, budgets }: LimitedConfig): readonly WrittenFallback[] {
  return [
    ...keys.flatMap(({ name, permission, budgets: own, endUserBudget }) =>
      fallbacksOf(
        `keys: "${name}"`,
        [...own, ...(endUserBudget === undefined ? [] : [endUserBudget])],
        permission,
      ),
    ),
    ...groups.flatMap(({ name, permission, budgets: own }) =>
      fallbacksOf(`groups: "${name}"`, own, permission),
    ),
    ...users.flatMap(({ name, budgets: own }) => fallbacksOf(`users: "${name}"`, own, undefined)),
    ...budgets.flatMap(({ name, terms }) => fallbacksOf(`budgets: "${name}"`, [terms], undefined)),
  ]
}

function fallbacksOf(
  owner: string,
  budgets: readonly BudgetTerms[],
  grant: ModelGrant | undefined,
): readonly WrittenFallback[] {
  return budgets.flatMap(({ atLimit }) =>
    atLimit.type === 'fallback' ? [{ owner, model: atLimit.model, grant }] : [],
  )
}

function warnOfFallback({ owner, model, grant }: WrittenFallback, catalog: Catalog): readonly string[] {
  if (catalog.findRoute(model) === undefined)
    return [`${owner} falls back to "${model}" at its limit, which no channel serves`]
  if (grant === undefined || permits(grant, model)) return []
  return [`${owner} falls back to "${model}" at its limit, which it is not granted`]
}
