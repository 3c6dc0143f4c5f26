import { expect, test } from 'vitest'
import { nanoDollarsOf } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { PriceVersion, PriceVersionId } from './price.ts'
import { mergePriceHistories, priceAt } from './price-history.ts'

function from(effectiveFromMs: number, source: PriceVersion['source'] = 'table'): PriceVersion {
  const rates = { input: nanoDollarsOf(1), output: nanoDollarsOf(1) }
  const id = brand<PriceVersionId>(`${source}@${effectiveFromMs}`)
  return {
    id,
    effectiveFromMs,
    source,
    sheets: [{ tier: 'standard', aboveInputTokens: 0, rates }],
    toolCalls: {},
  }
}

test('the version in force is the last one that has begun', () => {
  const history = [from(100), from(200)] as const
  const at = (nowMs: number) => priceAt(history, nowMs)?.id
  expect([at(99), at(100), at(199), at(200), at(10_000)]).toEqual([
    undefined,
    'table@100',
    'table@100',
    'table@200',
    'table@200',
  ])
})

test('a higher-precedence price replaces the lower one from its first version on', () => {
  const below = [from(0), from(200), from(400)] as const
  const above = [from(300, 'override'), from(500, 'override')] as const
  const ids = mergePriceHistories(above, below)?.map(({ id }) => id)
  expect(ids).toEqual(['table@0', 'table@200', 'override@300', 'override@500'])
})

test('a higher-precedence price inherits the tools and regions that it leaves out', () => {
  const web = nanoDollarsOf(10)
  const below = [
    { ...from(0), toolCalls: { web_search: web, files: web }, regionPpm: { us: 1_100_000 } },
  ] as const
  const free = { ...from(0, 'override'), toolCalls: { files: nanoDollarsOf(0) } }
  expect(mergePriceHistories([free], below)).toEqual([
    { ...free, toolCalls: { web_search: web, files: 0 }, regionPpm: { us: 1_100_000 } },
  ])
})

test('either of two merged prices may be missing', () => {
  const one = [from(100)] as const
  expect(mergePriceHistories(one, undefined)).toBe(one)
  expect(mergePriceHistories(undefined, one)).toBe(one)
  expect(mergePriceHistories(undefined, undefined)).toBeUndefined()
  expect(mergePriceHistories(one, [from(100, 'override')])).toEqual(one)
})
