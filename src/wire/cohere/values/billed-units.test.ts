import { expect, test } from 'vitest'
import { nanoDollarsOf } from '../../../canonical/money.ts'
import { addUsage, noUsage } from '../../../canonical/usage.ts'
import { costOf } from '../../../catalog/prices/cost-of.ts'
import type { PriceVersion, PriceVersionId } from '../../../catalog/prices/price.ts'
import { brand } from '../../../kit/brand.ts'
import { readUsage } from './read-usage.ts'

const price: PriceVersion = {
  id: brand<PriceVersionId>('test'),
  effectiveFromMs: 0,
  source: 'table',
  sheets: [
    {
      tier: 'standard',
      aboveInputTokens: 0,
      rates: { input: nanoDollarsOf(1), cacheRead: nanoDollarsOf(1), output: nanoDollarsOf(2) },
    },
  ],
  toolCalls: {},
}

const served = { tier: 'standard', atMs: 0 } as const
const stated = {
  billed_units: { input_tokens: 30, output_tokens: 52 },
  tokens: { input_tokens: 525, output_tokens: 55 },
}

test('the cost follows the billed units, and usage includes all tokens', () => {
  const usage = readUsage({ ...stated, cached_tokens: 448 })
  expect(usage).toMatchObject({ freshInputTokens: 77, cacheReadTokens: 448, outputTokens: 55 })
  expect(usage && costOf(usage, price, served)).toBe(30 * 1_000 + 52 * 2_000)
})

test.each([
  { tokens: stated.tokens },
  { ...stated, billed_units: {} },
  { ...stated, billed_units: { input_tokens: 'many' } },
])('without billed units the cost follows all tokens: %o', (value) => {
  const usage = readUsage(value)
  expect(usage && costOf(usage, price, served)).toBe(525 * 1_000 + 55 * 2_000)
})

test('the cost of two answers follows the units of one and the tokens of the other', () => {
  const one = readUsage(stated) ?? noUsage
  const sum = addUsage(one, { ...noUsage, freshInputTokens: 10, outputTokens: 1 })
  expect(costOf(sum, price, served)).toBe(40 * 1_000 + 53 * 2_000)
})
