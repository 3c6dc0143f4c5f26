import { expect, test } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { nanoDollarsOf } from '../canonical/money.ts'
import { brand } from '../kit/brand.ts'
import { type Catalog, weightOf } from './catalog.ts'
import { type CatalogContents, createCatalog } from './create-catalog.ts'
import type { ModelEntry } from './model-entry.ts'
import type { PriceHistory, PriceVersion, PriceVersionId } from './prices/price.ts'

const primary = createChannel({
  name: 'primary',
  models: { 'gpt-4o': 'gpt-4o-2024-11-20', mini: 'gpt-4o-mini' },
})

const backup = createChannel({ name: 'backup', models: { 'gpt-4o': 'openai/gpt-4o' } })
const local = createChannel({ name: 'local', models: 'listed' })

function build(contents: Partial<CatalogContents>): Catalog {
  return createCatalog({
    channels: [],
    entries: [],
    lists: new Map(),
    createdAtSeconds: 1_700_000_000,
    ...contents,
  })
}

/** Input and output cost as much; each version has its first moment and its dollars. */
function pricesOf(
  source: PriceVersion['source'],
  first: readonly [fromMs: number, dollars: number],
  ...others: readonly (readonly [fromMs: number, dollars: number])[]
): PriceHistory {
  const versionOf = ([effectiveFromMs, dollars]: readonly [number, number]): PriceVersion => {
    const rates = { input: nanoDollarsOf(dollars), output: nanoDollarsOf(dollars) }
    const id = brand<PriceVersionId>(`${source} ${dollars}`)
    return {
      id,
      effectiveFromMs,
      source,
      sheets: [{ tier: 'standard', aboveInputTokens: 0, rates }],
      toolCalls: {},
    }
  }
  return [versionOf(first), ...others.map(versionOf)]
}

function entry(publicName: string, parts: Partial<ModelEntry>): ModelEntry {
  return { publicName, fallbacks: [], capabilities: {}, ...parts }
}

function targetsOf(catalog: Catalog, publicName: string): readonly string[] | undefined {
  return catalog
    .findRoute(publicName)
    ?.targets.map(({ channel, upstreamModel }) => `${channel.name} → ${upstreamModel}`)
}

test('a name that several channels serve resolves to each of them with its own upstream name', () => {
  const catalog = build({ channels: [primary, backup] })
  expect(targetsOf(catalog, 'gpt-4o')).toEqual(['primary → gpt-4o-2024-11-20', 'backup → openai/gpt-4o'])
  expect(targetsOf(catalog, 'mini')).toEqual(['primary → gpt-4o-mini'])
  expect(catalog.findRoute('GPT-4o')).toBeUndefined()
})

test('an alias resolves only to its listed targets, and to no other channel that serves the name', () => {
  const entries = [entry('gpt-4o', { targets: [{ channel: 'backup', model: 'gpt-4o' }] })]
  expect(targetsOf(build({ channels: [primary, backup], entries }), 'gpt-4o')).toEqual([
    'backup → openai/gpt-4o',
  ])
})

test('an alias resolves once to a model of a channel, even if it is listed under several names', () => {
  const twice = createChannel({ name: 'twice', models: { 'gpt-4o': 'gpt-4o', latest: 'gpt-4o' } })
  const targets = ['gpt-4o', 'latest'].map((model) => ({ channel: 'twice', model }))
  expect(targetsOf(build({ channels: [twice], entries: [entry('fast', { targets })] }), 'fast')).toEqual([
    'twice → gpt-4o',
  ])
})

test('a channel with an upstream model list serves the listed models, including names with slashes', () => {
  const lists = new Map([['local', ['meta/llama3', 'qwen3']]])
  const catalog = build({ channels: [primary, local], lists })
  expect(catalog.models.map(({ name }) => name)).toEqual(['gpt-4o', 'meta/llama3', 'mini', 'qwen3'])
  expect(targetsOf(catalog, 'meta/llama3')).toEqual(['local → meta/llama3'])
})

test('an alias for a channel works before the model list of the channel is known', () => {
  const entries = [entry('fast', { targets: [{ channel: 'local', model: 'meta/llama3' }] })]
  expect(targetsOf(build({ channels: [local], entries }), 'fast')).toEqual(['local → meta/llama3'])
})

test('fallbacks are followed transitively, direct ones first, each once', () => {
  const entries = [
    entry('a', { targets: [{ channel: 'primary', model: 'gpt-4o' }], fallbacks: ['b', 'c'] }),
    entry('b', { targets: [{ channel: 'primary', model: 'mini' }], fallbacks: ['d', 'c'] }),
    entry('c', { targets: [{ channel: 'backup', model: 'gpt-4o' }], fallbacks: ['not listed yet'] }),
    entry('d', { targets: [{ channel: 'backup', model: 'gpt-4o' }] }),
  ]
  const catalog = build({ channels: [primary, backup], entries })
  expect(catalog.findRoute('a')?.fallbacks).toEqual(['b', 'c', 'd'])
  expect(catalog.findRoute('d')?.fallbacks).toEqual([])
})

test('capabilities of a model apply to its targets, and those of an alias override them', () => {
  const entries = [
    entry('gpt-4o', { capabilities: { reasoning: 'effort', jsonSchema: false } }),
    entry('fast', { targets: [{ channel: 'primary', model: 'gpt-4o' }], capabilities: { jsonSchema: true } }),
  ]
  const catalog = build({ channels: [primary, backup], entries })
  expect(catalog.findRoute('gpt-4o')?.targets.map(({ capabilities }) => capabilities)).toEqual([
    { reasoning: 'effort', jsonSchema: false },
    { reasoning: 'effort', jsonSchema: false },
  ])
  expect(catalog.findRoute('fast')?.targets[0]?.capabilities).toEqual({
    reasoning: 'effort',
    jsonSchema: true,
  })
})

test('a price is inherited like capabilities, while a routing strategy applies only to its own name', () => {
  const price = (dollars: number) => pricesOf('override', [0, dollars])
  const targets = [{ channel: 'primary', model: 'gpt-4o' }]
  const entries = [
    entry('gpt-4o', { prices: price(2.5), strategy: 'cheapest' }),
    entry('fast', { targets }),
    entry('sold', { targets, prices: price(3) }),
  ]
  const catalog = build({ channels: [primary], entries })
  const priceOf = (name: string) => catalog.findRoute(name)?.targets[0]?.prices?.[0].sheets[0]?.rates.input
  expect(['gpt-4o', 'fast', 'sold'].map(priceOf)).toEqual([2_500_000_000, 2_500_000_000, 3_000_000_000])
  expect(['gpt-4o', 'fast'].map((name) => catalog.findRoute(name)?.strategy)).toEqual([
    'cheapest',
    'priority-weighted',
  ])
})

test('a weight applies to the target of its own alias, and the first of two names for one model wins', () => {
  const targets = [
    { channel: 'primary', model: 'gpt-4o', weight: 9 },
    { channel: 'primary', model: 'mini' },
  ]
  const entries = [
    entry('fast', { targets }),
    entry('plain', { targets: [{ channel: 'primary', model: 'gpt-4o' }] }),
  ]
  const catalog = build({ channels: [primary], entries })
  const weights = (name: string) => catalog.findRoute(name)?.targets.map(weightOf)
  expect(weights('fast')).toEqual([9, primary.weight])
  expect(weights('plain')).toEqual([primary.weight])
})

test('a price of a channel overrides that of an alias, which overrides the price table', () => {
  const findKnownModel = () => ({ prices: pricesOf('table', [0, 1]), limits: { maxOutputTokens: 8_192 } })
  const dear = { ...primary, prices: new Map([['gpt-4o', pricesOf('override', [0, 9])]]) }
  const targets = [{ channel: 'primary', model: 'gpt-4o' }]
  const contents = {
    entries: [entry('gpt-4o', { prices: pricesOf('override', [0, 2]) }), entry('fast', { targets })],
    findKnownModel,
  }
  const pricesIn = (catalog: Catalog, name: string) =>
    catalog.findRoute(name)?.targets[0]?.prices?.map(({ id }) => id)
  const usual = build({ channels: [primary], ...contents })
  expect(['gpt-4o', 'fast', 'mini'].map((name) => pricesIn(usual, name))).toEqual([
    ['override 2'],
    ['override 2'],
    ['table 1'],
  ])
  const own = build({ channels: [dear], ...contents })
  expect(['gpt-4o', 'fast', 'mini'].map((name) => pricesIn(own, name))).toEqual([
    ['override 9'],
    ['override 9'],
    ['table 1'],
  ])
  expect(usual.findRoute('mini')?.targets[0]?.limits).toEqual({ maxOutputTokens: 8_192 })
})

test('a price that begins later leaves the lower-precedence price in force until then', () => {
  const findKnownModel = () => ({ prices: pricesOf('table', [0, 1]), limits: {} })
  const entries = [entry('gpt-4o', { prices: pricesOf('override', [100, 2], [200, 3]) })]
  const [target] = build({ channels: [primary], entries, findKnownModel }).findRoute('gpt-4o')?.targets ?? []
  expect(target?.prices?.map(({ id, effectiveFromMs }) => [id, effectiveFromMs])).toEqual([
    ['table 1', 0],
    ['override 2', 100],
    ['override 3', 200],
  ])
})

test('a model that no channel currently serves is not listed', () => {
  const entries = [entry('later', { capabilities: { reasoning: 'none' } })]
  const catalog = build({ channels: [local], entries })
  expect(catalog.models).toEqual([])
  expect(catalog.findRoute('later')).toBeUndefined()
  expect(catalog.findRoute('__proto__')).toBeUndefined()
})

test('the display name and description of a model come only from its own entry', () => {
  const entries = [
    entry('gpt-4o', { displayName: 'GPT-4o', description: 'The usual one.' }),
    entry('fast', { targets: [{ channel: 'primary', model: 'gpt-4o' }] }),
  ]
  const { models } = build({ channels: [primary, backup], entries })
  expect(models.find(({ name }) => name === 'gpt-4o')).toMatchObject({
    displayName: 'GPT-4o',
    description: 'The usual one.',
  })
  expect(models.find(({ name }) => name === 'fast')).not.toHaveProperty('displayName')
})
