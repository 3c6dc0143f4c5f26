import { describe, expect, it, test } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { nanoDollarsOf } from '../../canonical/money.ts'
import type { Channel } from '../../catalog/channel.ts'
import { createPriceIndex } from '../../catalog/prices/price-index.ts'
import builtIn from '../../catalog/prices/price-table.json' with { type: 'json' }
import type { TableVersion } from '../../catalog/prices/price-table.ts'
import { providerRegistry } from '../registry.ts'
import { createModelFinder } from './create-model-finder.ts'

const usd = nanoDollarsOf
const find = createModelFinder(providerRegistry, [createPriceIndex(builtIn)])

function channelOf(provider: string, others: Partial<Channel> = {}): Channel {
  return { ...createChannel({ name: 'one', provider, models: 'listed' }), ...others }
}

/** The dollars of a million tokens of input and output. */
function priceOf(provider: string, model: string, others: Partial<Channel> = {}) {
  const rates = find(channelOf(provider, others), model).prices?.at(-1)?.sheets[0]?.rates
  return rates === undefined ? undefined : [rates.input / 1e9, rates.output / 1e9]
}

describe('the price of a model on a channel', () => {
  test.each([
    ['openai', 'gpt-4o', [2.5, 10]],
    ['openai', 'ft:gpt-4o-2024-08-06:acme::id', [3.75, 15]],
    ['azure-openai', 'gpt-4o', [2.5, 10]],
    ['gemini', 'models/gemini-2.5-pro', [1.25, 10]],
    ['vertex', 'claude-haiku-4-5@20251001', [1, 5]],
    ['fireworks', 'deepseek-v3', [0.9, 0.9]],
    ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', [3.3, 16.5]],
    ['bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0', [3, 15]],
    ['bedrock', 'ca.anthropic.claude-haiku-4-5-20251001-v1:0', [1, 5]],
    [
      'bedrock',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      [3.3, 16.5],
    ],
  ])('from %s is found by the model name: %s', (provider, model, dollars) => {
    expect(priceOf(provider, model)).toEqual(dollars)
  })

  test.each([
    ['azure-openai', 'my-deployment'],
    ['openai', 'ft:my-model:acme::id'],
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcdef'],
    ['openrouter', 'openai/gpt-4o'],
    ['openai-compatible', 'gpt-4o'],
    ['nobody', 'gpt-4o'],
  ])('from %s is unknown if the name does not identify the model: %s', (provider, model) => {
    expect(priceOf(provider, model)).toBeUndefined()
  })

  it('in a region is the price of that region', () => {
    const settings = { region: 'us-gov-west-1' }
    const [usual, regional] = [undefined, settings].map((each) =>
      priceOf('bedrock', 'amazon.nova-pro-v1:0', each === undefined ? {} : { settings: each }),
    )
    expect(regional).not.toEqual(usual)
  })

  it('includes the surcharge of the region of the channel', () => {
    const global = priceOf('vertex', 'claude-opus-4-8')
    const regional = priceOf('vertex', 'claude-opus-4-8', {
      settings: { project: 'one', region: 'us-east5' },
    })
    expect([global, regional]).toEqual([
      [5, 25],
      [5.5, 27.5],
    ])
    expect(priceOf('openai', 'gpt-5.5', { baseUrl: 'https://eu.api.openai.com/v1' })).toEqual([5.5, 33])
    expect(priceOf('openai', 'gpt-5.5', { baseUrl: 'https://eu.api.openai.com.example.org/v1' })).toEqual([
      5, 30,
    ])
  })

  it('leaves out the surcharge if the answer names the region', () => {
    const [version] = find(channelOf('anthropic'), 'claude-opus-4-8').prices ?? []
    expect(version?.regionPpm).toEqual({ us: 1_100_000 })
  })

  it('is zero on a self-hosted server', () => {
    expect(priceOf('ollama', 'llama3.2')).toEqual([0, 0])
  })

  it('comes with the token limits of the model', () => {
    expect(find(channelOf('openai'), 'gpt-4o').limits).toEqual({
      maxInputTokens: 128_000,
      maxOutputTokens: 16_384,
    })
  })
})

describe('of two price tables', () => {
  const version = (from: string, dollars: number): TableVersion => ({
    from,
    sheets: [{ input: usd(dollars), output: usd(dollars) }],
  })
  const table = (date: string, models: Readonly<Record<string, readonly TableVersion[]>>) =>
    createPriceIndex({
      source: 'test',
      date,
      licence: 'MIT',
      models: Object.entries(models).map(([name, versions]) => ({
        provider: 'openai',
        name,
        mode: 'chat',
        versions,
      })),
    })
  const older = table('2026-01-01', { both: [version('2026-01-01', 1)], old: [version('2026-01-01', 1)] })
  const newer = table('2026-02-01', { both: [version('2026-01-01', 1), version('2026-02-01', 2)] })

  test.each([[[older, newer]], [[newer, older]]])('the newer one wins', (tables) => {
    const found = createModelFinder(providerRegistry, tables)
    const versions = (name: string) =>
      found(channelOf('openai'), name).prices?.map(({ id, effectiveFromMs }) => [id, effectiveFromMs])
    expect(versions('both')).toEqual([
      ['openai/both@2026-01-01', 0],
      ['openai/both@2026-02-01', Date.UTC(2026, 1, 1)],
    ])
    expect(versions('old')).toEqual([['openai/old@2026-01-01', 0]])
  })
})
