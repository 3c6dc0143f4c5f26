import { createSecretKey } from 'node:crypto'
import type { KeyId } from '../../src/access/key.ts'
import { makeBootstrapKey } from '../../src/access/make-key.ts'
import type { ComparedState, Comparison } from '../../src/admin/effects/comparison.ts'
import { nanoDollarsOf } from '../../src/canonical/money.ts'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { Config } from '../../src/config/config.ts'
import { resolveConfig } from '../../src/config/resolve-config.ts'
import { readEnvironment } from '../../src/config/source/environment.ts'
import { brand } from '../../src/kit/brand.ts'
import type { JsonObject } from '../../src/kit/json/json.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { createFakeClock } from './fake-clock.ts'
import { parseConfigValue } from './parse-yaml-config.ts'

/** A configuration as a file of these words would make it. */
function resolveConfigValue(value: JsonObject): Config {
  const parsed = parseConfigValue(value)
  return resolveConfig({
    parsed,
    source: { type: 'file', path: 'headgate.yaml' },
    files: { tls: undefined, channels: parsed.channels },
    environment: readEnvironment({}),
    outer: {},
    workingFolder: '/',
  })
}

/**
 * All that would be in force by a configuration. The keys have their names for ids; they are those of another file
 * where one is given, since keys of the store may name groups that there are no more.
 */
export function compareState(value: JsonObject, keyFile = value): ComparedState {
  const config = resolveConfigValue(value)
  const { channels, models, findKnownModel } = config
  const lists = new Map<string, readonly string[]>()
  const catalog = createCatalog({ channels, entries: models, lists, createdAtSeconds: 0, findKnownModel })
  const maker = { pepper: createSecretKey(Buffer.alloc(32)), clock: createFakeClock(), random: systemRandom }
  const keys = resolveConfigValue(keyFile).keys.map((key) => ({
    ...makeBootstrapKey(key, maker),
    id: brand<KeyId>(key.name),
  }))
  return { config, catalog, value, keys }
}

/** The change from one configuration to another, where budgets have spent what is given by their names. */
export function compareValues(
  before: JsonObject,
  after: JsonObject,
  spentUsd: Readonly<Record<string, number>> = {},
): Comparison {
  return {
    before: compareState(before),
    after: compareState(after),
    useOf: ({ name }) => ({ spent: nanoDollarsOf(spentUsd[name] ?? 0), raisedBy: 0 }),
    nowMs: Date.UTC(2026, 10, 1),
  }
}
