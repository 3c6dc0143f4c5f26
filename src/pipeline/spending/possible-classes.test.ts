import { describe, expect, it, test } from 'vitest'
import { nanoDollarsOf } from '../../canonical/money.ts'
import {
  type PriceVersion,
  type PriceVersionId,
  priceTiers,
  type RateClass,
} from '../../catalog/prices/price.ts'
import { worstRates } from '../../catalog/prices/worst-rates.ts'
import { brand } from '../../kit/brand.ts'
import { termsWithoutOutput } from '../../wire/spending-terms.ts'
import { possibleClasses } from './possible-classes.ts'

const usd = nanoDollarsOf
const price: PriceVersion = {
  id: brand<PriceVersionId>('test'),
  effectiveFromMs: 0,
  source: 'table',
  sheets: [
    {
      tier: 'standard',
      aboveInputTokens: 0,
      rates: {
        input: usd(2),
        cacheWrite: usd(2.5),
        cacheWriteLong: usd(4),
        inputAudio: usd(30),
        output: usd(10),
        outputAudio: usd(40),
      },
    },
  ],
  toolCalls: {},
}

const marked: PriceVersion = { ...price, cachesMarkedOnly: true }
const plain = termsWithoutOutput

/** The amount that is held for a million tokens of a request of these terms. */
function heldFor(terms: Partial<typeof plain>, version: PriceVersion) {
  const asked = { ...plain, ...terms }
  const hasMore = asked.hasMedia() || asked.hasStoredInput()
  const classes = possibleClasses(asked, { hasMore, price: version })
  const { input, output } = worstRates(version, { tiers: priceTiers, inputTokens: 1, classes })
  return [input / 1e9, output / 1e9]
}

describe('the classes that a request may be billed for', () => {
  it.each([
    ['no mark', {}, [2, 10]],
    ['a mark', { cacheMarks: () => 'short' }, [2.5, 10]],
    ['a mark of an hour', { cacheMarks: () => 'long' }, [4, 10]],
    ['a file', { hasMedia: () => true }, [30, 10]],
    ['an earlier response', { hasStoredInput: () => true }, [30, 10]],
    ['a wish for speech', { asksForAudio: true }, [2, 40]],
  ] satisfies [string, Partial<typeof plain>, number[]][])('follow from %s', (_, terms, dollars) => {
    expect(heldFor(terms, marked)).toEqual(dollars)
  })

  it('include cache writes that a provider makes on its own', () => {
    expect(heldFor({}, price)).toEqual([4, 10])
  })

  test.each<RateClass>(['cacheRead', 'reasoning', 'outputImage'])(
    'include those of any answer: %s',
    (each) => {
      expect(possibleClasses(plain, { hasMore: false, price: marked }).has(each)).toBe(true)
    },
  )
})
