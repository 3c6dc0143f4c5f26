import { permissionOf } from '../../access/describe-caller.ts'
import type { Group } from '../../access/group.ts'
import type { InheritedTerms, KeyId, KeyTerms } from '../../access/key.ts'
import type { KeyWarning } from '../../access/key-warning.ts'
import { type Permission, permits } from '../../access/permission.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { findUnpriced, type UnpricedModel } from '../../catalog/prices/find-unpriced.ts'
import { brand } from '../../kit/brand.ts'
import { isLimiting } from '../../metering/budget.ts'
import { createLimitIndex, type LimitIndex } from '../../metering/limit-index.ts'
import type { Config } from '../config.ts'
import type { ConfigWarning, PriceRefusal } from '../config-warning.ts'

type PricedConfig = Pick<Config, 'unpriced' | 'groups' | 'users' | 'budgets' | 'rates'>

/** The terms of a key that decide which models it may use, and what limits it. */
export type MoneyKey = InheritedTerms & Pick<KeyTerms, 'name' | 'group'>

/**
 * The served models that have no price, and to which keys they are refused for that, since nothing could be held of
 * their limits.
 */
export function warnOfPrices(
  config: PricedConfig,
  keys: readonly MoneyKey[],
  catalog: Catalog,
): readonly ConfigWarning[] {
  const unpriced = findUnpriced(catalog)
  if (unpriced.length === 0) return []
  const models = unpriced.map(({ text }) => text)
  if (config.unpriced === 'refuse') return [{ kind: 'unpriced_refused', values: { models } }]
  return [{ kind: 'unpriced_uncounted', values: { models } }, ...warnOfRefusals(config, keys, unpriced)]
}

/** The same of one key, that the file need not have. */
export function warnOfUnpriced(config: PricedConfig, key: MoneyKey, catalog: Catalog): readonly KeyWarning[] {
  const limits = createLimitIndex(config)
  const limited = findLimited(config, [key], limits)
  const refused = findUnpriced(catalog).filter(
    (unpriced) =>
      limitsAll(unpriced, limits) || limited.some((each) => permits(each.permission, unpriced.model)),
  )
  const used = refused.filter(({ model }) => permits(permissionOf(key, byName(config.groups)), model))
  return used.length === 0 ? [] : [{ type: 'refused_for_price', models: used }]
}

function warnOfRefusals(
  config: PricedConfig,
  keys: readonly MoneyKey[],
  unpriced: readonly UnpricedModel[],
): readonly ConfigWarning[] {
  const limits = createLimitIndex(config)
  const limited = findLimited(config, keys, limits)
  const refusals = unpriced.flatMap((each): readonly PriceRefusal[] => {
    if (limitsAll(each, limits)) return [{ model: each.text, keys: undefined }]
    const names = limited.filter(({ permission }) => permits(permission, each.model)).map(({ name }) => name)
    return names.length === 0 ? [] : [{ model: each.text, keys: names }]
  })
  return refusals.length === 0 ? [] : [{ kind: 'refused_for_price', values: { refusals } }]
}

/** Whether a budget of the model, its channels or the installation refuses its requests. */
function limitsAll({ model, targets }: UnpricedModel, limits: LimitIndex): boolean {
  return targets.every(({ channel }) =>
    limits.targetBudgets(model, channel.name).some(({ budget }) => isLimiting(budget)),
  )
}

interface LimitedKey {
  readonly name: string
  readonly permission: Permission
}

/** The keys that some limit in money applies to, by their own budgets or those of their user, group and tags. */
function findLimited(
  { groups }: Pick<Config, 'groups'>,
  keys: readonly MoneyKey[],
  limits: LimitIndex,
): readonly LimitedKey[] {
  const known = byName(groups)
  return keys
    .filter(({ name, ...key }) => {
      const caller = { ...key, keyId: brand<KeyId>(name), keyName: name }
      return limits.callerBudgets(caller, key.tags).some(({ budget }) => isLimiting(budget))
    })
    .map((key) => ({ name: key.name, permission: permissionOf(key, known) }))
}

function byName(groups: readonly Group[]): ReadonlyMap<string, Group> {
  return new Map(groups.map((group) => [group.name, group]))
}
