import { expect, test } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import type { PriceVersionId } from '../../catalog/prices/price.ts'
import { createPriceIndex } from '../../catalog/prices/price-index.ts'
import builtIn from '../../catalog/prices/price-table.json' with { type: 'json' }
import { brand } from '../../kit/brand.ts'
import { providerRegistry } from '../registry.ts'
import { createModelFinder } from './create-model-finder.ts'
import { createVersionFinder } from './create-version-finder.ts'

const tables = [createPriceIndex(builtIn)]
const { models, channels } = parseYamlConfig(`
channels: [{ name: a, provider: openai, api_key: k, models: [m], prices: { m: { input: 1, output: 2 } } }]
models: { m: { price: [{ input: 3, output: 4 }, { input: 5, output: 6, effective_from: 2027-01-01 }] } }`)
const find = createVersionFinder(providerRegistry, { tables, models, channels })

const settings = { project: 'one', region: 'us-east5' }
const known = createModelFinder(providerRegistry, tables)

test.each([
  ['of a table', known(createChannel({ name: 'a', provider: 'openai', models: 'listed' }), 'gpt-4o').prices],
  [
    'of a table, with the surcharge of a region',
    known(createChannel({ name: 'a', provider: 'vertex', models: 'listed', settings }), 'claude-opus-4-8')
      .prices,
  ],
  ['of a model', models[0]?.prices],
  ['of a channel', channels[0]?.prices?.get('m')],
])('a price %s is found by its ID', (_, prices) => {
  expect(prices?.length).toBeGreaterThan(0)
  for (const version of prices ?? []) expect(find(version.id)).toEqual(version)
})

test.each(['', 'gpt-4o', 'openai/gpt-4o', 'openai/gpt-4o@1999-01-01', 'models/m@configuration#00000000'])(
  'an ID that matches no price is not found: %s',
  (id) => {
    expect(find(brand<PriceVersionId>(id))).toBeUndefined()
  },
)
