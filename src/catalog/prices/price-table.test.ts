import { describe, expect, it, test } from 'vitest'
import { nanoDollarsOf } from '../../canonical/money.ts'
import { comparePriceTables, mergePriceTables } from './price-changes.ts'
import { createPriceIndex } from './price-index.ts'
import json from './price-table.json' with { type: 'json' }
import { type PriceTable, printPriceTable, type TableModel } from './price-table.ts'

const usd = nanoDollarsOf
const index = createPriceIndex(json)
const models = index.all()

describe('the price table', () => {
  it('states its source and its license terms', () => {
    expect(index.source).toMatch(/^litellm \d/)
    expect(index.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(index.licence).toContain('MIT')
  })

  it('lists every model once, in order', () => {
    const keys = models.map(({ provider, name }) => `${provider} ${name}`)
    expect(keys.length).toBeGreaterThan(2_000)
    expect(new Set(keys).size).toBe(keys.length)
    expect(printPriceTable({ ...index, models })).toBe(printPriceTable({ ...index, models: sorted(models) }))
  })

  it('has no two rates for the same requests', () => {
    const doubled = models.flatMap(({ name, versions }) =>
      versions.flatMap(({ sheets }) => {
        const keys = sheets.map(({ tier, above, hours }) => JSON.stringify([tier, above, hours]))
        return new Set(keys).size === keys.length ? [] : [name]
      }),
    )
    expect(doubled).toEqual([])
  })

  // Dollars for a million tokens, as the price pages have them that the entries of LiteLLM's file name as their source.
  test.each([
    ['openai', 'gpt-4o', { input: 2.5, cacheRead: 1.25, output: 10 }],
    ['openai', 'gpt-5', { input: 1.25, cacheRead: 0.125, output: 10 }],
    ['openai', 'gpt-4o-mini', { input: 0.15, cacheRead: 0.075, output: 0.6 }],
    ['openai', 'text-embedding-3-small', { input: 0.02, output: 0 }],
    ['azure-openai', 'gpt-4o', { input: 2.5, cacheRead: 1.25, output: 10 }],
    [
      'anthropic',
      'claude-opus-4-8',
      { input: 5, cacheRead: 0.5, cacheWrite: 6.25, cacheWriteLong: 10, output: 25 },
    ],
    [
      'anthropic',
      'claude-haiku-4-5',
      { input: 1, cacheRead: 0.1, cacheWrite: 1.25, cacheWriteLong: 2, output: 5 },
    ],
    ['gemini', 'gemini-2.5-pro', { input: 1.25, cacheRead: 0.125, output: 10 }],
    [
      'gemini',
      'gemini-2.5-flash',
      { input: 0.3, inputAudio: 1, cacheRead: 0.03, cacheReadAudio: 0.1, output: 2.5 },
    ],
    ['deepseek', 'deepseek-v4-pro', { input: 1.32, cacheRead: 0.044, output: 3.96 }],
  ])('has the published price of %s %s', (provider, name, dollars) => {
    const [sheet] = index.find(provider, name)?.versions.at(-1)?.sheets ?? []
    const rates = Object.fromEntries(Object.entries(dollars).map(([rate, price]) => [rate, usd(price)]))
    expect(sheet).toMatchObject(rates)
  })

  it('has prices for tiers, long inputs and hours', () => {
    const sheetsOf = (provider: string, name: string) => index.find(provider, name)?.versions.at(-1)?.sheets
    expect(sheetsOf('openai', 'gpt-5')).toContainEqual({
      tier: 'flex',
      input: usd(0.625),
      cacheRead: usd(0.0625),
      output: usd(5),
    })
    expect(sheetsOf('gemini', 'gemini-2.5-pro')).toContainEqual({
      above: 200_000,
      input: usd(2.5),
      cacheRead: usd(0.25),
      output: usd(15),
    })
    expect(sheetsOf('deepseek', 'deepseek-v4-pro')?.find(({ hours }) => hours !== undefined)).toMatchObject({
      input: usd(0.66),
      output: usd(1.98),
    })
    expect(index.find('openai', 'gpt-5')?.versions.at(-1)?.toolCalls).toEqual({
      file_search: usd(2_500),
      web_search: usd(10_000),
    })
  })

  it('has the token limits of models', () => {
    expect(index.find('openai', 'gpt-4o')).toMatchObject({ maxInputTokens: 128_000, maxOutputTokens: 16_384 })
  })
})

describe('a model in the price table', () => {
  test.each([
    ['in another case', 'GPT-4O', 'gpt-4o'],
    ['of a later date', 'gpt-4o-2031-01-31', 'gpt-4o'],
    ['of a later date, written without hyphens', 'claude-haiku-4-5-20310131', 'claude-haiku-4-5'],
    ['of a version of Google Cloud', 'claude-haiku-4-5@20310131', 'claude-haiku-4-5'],
    ['as latest', 'claude-haiku-4-5-latest', 'claude-haiku-4-5'],
  ])('is found %s', (_, name, found) => {
    const provider = name.startsWith('claude') ? 'anthropic' : 'openai'
    expect(index.find(provider, name)?.name).toBe(found)
  })

  test.each(['gpt-4o-turbo', 'gpt-4', 'gpt-9', 'my-gpt-4o', 'gpt-4o-', 'constructor', ''])(
    'never matches a different name: %s',
    (name) => {
      expect([undefined, name]).toContain(index.find('openai', name)?.name)
    },
  )

  it('is found only under its own provider', () => {
    expect(index.find('anthropic', 'gpt-4o')).toBeUndefined()
  })
})

describe('a newer table', () => {
  const priced = (name: string, dollars: number, from: string): TableModel => ({
    provider: 'openai',
    name,
    mode: 'chat',
    versions: [{ from, sheets: [{ input: usd(dollars), output: usd(dollars) }] }],
  })
  const table = (date: string, list: readonly TableModel[]): PriceTable => ({
    source: 'test',
    date,
    licence: 'MIT',
    models: list,
  })
  const older = table('2026-01-01', [
    priced('a', 1, '2026-01-01'),
    priced('b', 1, '2026-01-01'),
    priced('c', 1, '2026-01-01'),
  ])
  const newer = table('2026-02-01', [
    priced('a', 1, '2026-02-01'),
    priced('b', 2, '2026-02-01'),
    priced('d', 1, '2026-02-01'),
  ])

  it('differs by added, changed and removed models', () => {
    const changes = comparePriceTables(older, newer).map((change) => [
      change.type,
      change.type === 'changed' ? change.after.name : change.model.name,
    ])
    expect(changes).toEqual([
      ['changed', 'b'],
      ['removed', 'c'],
      ['added', 'd'],
    ])
  })

  it('keeps the history of the older table', () => {
    const merged = mergePriceTables(older, newer)
    expect(merged.date).toBe('2026-02-01')
    expect(merged.models.map(({ name, versions }) => [name, versions.map(({ from }) => from)])).toEqual([
      ['a', ['2026-01-01']],
      ['b', ['2026-01-01', '2026-02-01']],
      ['c', ['2026-01-01']],
      ['d', ['2026-02-01']],
    ])
    expect(mergePriceTables(merged, newer)).toEqual(merged)
  })

  it('of the same day corrects the prices of that day', () => {
    const corrected = table('2026-02-01', [priced('b', 3, '2026-02-01')])
    const [model] = mergePriceTables(mergePriceTables(older, newer), corrected).models.filter(
      ({ name }) => name === 'b',
    )
    expect(model?.versions.map(({ from, sheets }) => [from, sheets[0]?.input])).toEqual([
      ['2026-01-01', usd(1)],
      ['2026-02-01', usd(3)],
    ])
  })
})

function sorted(list: readonly TableModel[]): readonly TableModel[] {
  return list.toSorted((left, right) =>
    `${left.provider} ${left.name}` < `${right.provider} ${right.name}` ? -1 : 1,
  )
}
