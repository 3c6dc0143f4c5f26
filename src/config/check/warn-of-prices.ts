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

/** The terms of a key that decide which models it may use, and which limits it has. */
export type MoneyKey = InheritedTerms & Pick<KeyTerms, 'name' | 'group'>

/**
 * Warns about served models without a price, with the keys that cannot use them: no amount could be held for the keys'
 * limits.
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

/** Warns about unpriced models for one key, which need not be in the file. */
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

/** Whether a budget of the model, its channels or the installation causes its requests to be refused. */
function limitsAll({ model, targets }: UnpricedModel, limits: LimitIndex): boolean {
  return targets.every(({ channel }) =>
    limits.targetBudgets(model, channel.name).some(({ budget }) => isLimiting(budget)),
  )
}

interface LimitedKey {
  readonly name: string
  readonly permission: Permission
}

/** Finds the keys with a spending limit, from their own budgets or those of their user, group and tags. */
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
