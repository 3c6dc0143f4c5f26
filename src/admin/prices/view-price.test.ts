import fc from 'fast-check'
import { expect, it } from 'vitest'
import { priceArbitrary } from '../../../test/support/price-arbitraries.ts'
import type { PriceSheet } from '../../catalog/prices/price.ts'
import { priceSchema } from '../../catalog/prices/price-schema.ts'
import { readPriceHistory } from '../../catalog/prices/read-price-history.ts'
import { viewPrice } from './view-price.ts'

function sortSheets(sheets: readonly PriceSheet[]) {
  const keyOf = ({ tier, aboveInputTokens }: PriceSheet) => `${tier} ${aboveInputTokens}`
  return new Map(sheets.map((sheet) => [keyOf(sheet), { ...sheet.rates }]))
}

it('shows a price in the format of the configuration, so it can be pasted there', () => {
  fc.assert(
    fc.property(priceArbitrary, (price) => {
      // The configuration knows the usual tier and length alone for hours, and no span without a day or a minute.
      const sheets = price.sheets.filter(({ hours }) => hours === undefined)
      fc.pre(isComplete(sheets))
      const written = priceSchema.parse(viewPrice({ ...price, sheets }).price)
      const [read] = readPriceHistory('models/m', written) ?? []
      expect(sortSheets(read?.sheets ?? [])).toEqual(sortSheets(sheets))
      expect({ ...read?.toolCalls }).toEqual({ ...price.toolCalls })
    }),
  )
})

/** The configuration has tiers below the usual rates of their length. */
function isComplete(sheets: readonly PriceSheet[]): boolean {
  const hasUsual = (tokens: number) =>
    sheets.some(({ tier, aboveInputTokens }) => tier === 'standard' && aboveInputTokens === tokens)
  return sheets.every(({ aboveInputTokens }) => hasUsual(aboveInputTokens))
}

it('shows hours of the day in the format of the configuration', () => {
  const text = {
    input: 2,
    output: 4,
    hours: [{ days: ['mon', 'sun'], from: '16:30', until: '00:30', input: 1, output: 2 }],
  }
  const [price] = readPriceHistory('models/m', priceSchema.parse(text)) ?? []
  const shown = price && viewPrice(price)
  expect(shown).toMatchObject({ source: 'model', effective_from: null })
  expect(shown?.price['hours']).toEqual([
    { days: ['mon', 'sun'], from: '16:30', until: '00:00', input: 1, output: 2 },
    { days: ['tue', 'mon'], from: '00:00', until: '00:30', input: 1, output: 2 },
  ])
})
