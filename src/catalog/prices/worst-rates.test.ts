import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  priceArbitrary,
  pricedUsageArbitrary,
  servedArbitrary,
} from '../../../test/support/price-arbitraries.ts'
import { nanoDollarsOf } from '../../canonical/money.ts'
import { inputTokensOf } from '../../canonical/usage.ts'
import { brand } from '../../kit/brand.ts'
import { costOf } from './cost-of.ts'
import { type PriceVersion, type PriceVersionId, priceTiers, type RateClass } from './price.ts'
import { costOfCount } from './sum-cost.ts'
import { worstRates } from './worst-rates.ts'

const usd = nanoDollarsOf

const price: PriceVersion = {
  id: brand<PriceVersionId>('test'),
  effectiveFromMs: 0,
  source: 'table',
  sheets: [
    {
      tier: 'standard',
      aboveInputTokens: 0,
      rates: { input: usd(2), cacheWrite: usd(2.5), output: usd(10), outputAudio: usd(40) },
    },
    { tier: 'standard', aboveInputTokens: 200_000, rates: { input: usd(4), output: usd(15) } },
    { tier: 'priority', aboveInputTokens: 0, rates: { input: usd(5), output: usd(20) } },
  ],
  toolCalls: {},
}

describe('the highest possible rates', () => {
  it('cover everything that the request can be billed for', () => {
    const asked = { tiers: ['standard'], inputTokens: 1_000 } as const
    expect(worstRates(price, asked)).toEqual({ input: usd(2.5), output: usd(40) })
    expect(worstRates(price, { ...asked, classes: new Set() })).toEqual({ input: usd(2), output: usd(10) })
    const cached = { ...asked, classes: new Set(['cacheWrite'] as const) }
    expect(worstRates(price, cached)).toEqual({ input: usd(2.5), output: usd(10) })
  })

  it('rise with the longest input and with every tier', () => {
    const classes = new Set<never>()
    const long = worstRates(price, { tiers: ['standard'], inputTokens: 200_001, classes })
    expect(long).toEqual({ input: usd(4), output: usd(15) })
    const tiers = ['standard', 'priority'] as const
    expect(worstRates(price, { tiers, inputTokens: 1, classes })).toEqual({ input: usd(5), output: usd(20) })
  })

  it('are those of the most expensive region', () => {
    const regional = { ...price, regionPpm: { us: 1_100_000 } }
    const rates = worstRates(regional, { tiers: ['standard'], inputTokens: 1, classes: new Set() })
    expect(rates).toEqual({ input: usd(2.2), output: usd(11) })
  })

  it('do not depend on the request before', () => {
    const tiers = fc.array(fc.constantFrom(...priceTiers), { minLength: 1, maxLength: 2 })
    const inputTokens = fc.oneof(fc.nat(10), fc.constantFrom(199_999, 200_000, 200_001, 300_000))
    const classes = fc.constantFrom(undefined, new Set<RateClass>(), new Set<RateClass>(['cacheWrite']))
    const requests = fc.array(fc.record({ tiers, inputTokens, classes }), { minLength: 2 })
    fc.assert(
      fc.property(requests, (all) => {
        const version = structuredClone(price)
        for (const { classes: possible, ...asked } of all) {
          const request = possible === undefined ? asked : { ...asked, classes: possible }
          expect(worstRates(version, request)).toEqual(worstRates(structuredClone(price), request))
        }
      }),
    )
  })

  it('are never below what an answer costs', () => {
    fc.assert(
      fc.property(pricedUsageArbitrary, priceArbitrary, servedArbitrary, (usage, version, served) => {
        const inputTokens = inputTokensOf(usage)
        const worst = worstRates(version, { tiers: [served.tier], inputTokens })
        const held =
          BigInt(costOfCount(inputTokens, worst.input)) +
          BigInt(costOfCount(usage.outputTokens, worst.output))
        const max = BigInt(Number.MAX_SAFE_INTEGER)
        const cost = BigInt(costOf({ ...usage, toolCalls: {} }, version, served))
        expect(cost <= (held < max ? held : max)).toBe(true)
      }),
    )
  })

  it('hold for any tier if all tiers are requested', () => {
    fc.assert(
      fc.property(
        priceArbitrary,
        fc.constantFrom(...priceTiers),
        fc.nat({ max: 300_000 }),
        (version, tier, inputTokens) => {
          const all = worstRates(version, { tiers: priceTiers, inputTokens })
          const one = worstRates(version, { tiers: [tier], inputTokens })
          expect(all.input >= one.input && all.output >= one.output).toBe(true)
        },
      ),
    )
  })
})
