import fc from 'fast-check'
import type { NanoDollars } from '../../src/canonical/money.ts'
import { noUsage, type Usage } from '../../src/canonical/usage.ts'
import {
  type PriceRates,
  type PriceSheet,
  type PriceVersion,
  type PriceVersionId,
  priceTiers,
  type ServedTerms,
} from '../../src/catalog/prices/price.ts'
import { brand } from '../../src/kit/brand.ts'

/** Zero, usual rates and the dearest that can be written, for a million tokens. */
const rateArbitrary = fc
  .oneof(
    fc.nat({ max: 100_000_000_000 }),
    fc.maxSafeNat().map((rate) => rate % 1_000_000_000_000_001),
  )
  .map((rate) => brand<NanoDollars>(rate))

const ratesArbitrary: fc.Arbitrary<PriceRates> = fc.record(
  {
    input: rateArbitrary,
    cacheRead: rateArbitrary,
    cacheReadAudio: rateArbitrary,
    cacheWrite: rateArbitrary,
    cacheWriteLong: rateArbitrary,
    inputAudio: rateArbitrary,
    inputImage: rateArbitrary,
    output: rateArbitrary,
    reasoning: rateArbitrary,
    outputAudio: rateArbitrary,
    outputImage: rateArbitrary,
  },
  { requiredKeys: ['input', 'output'] },
)

const hoursArbitrary = fc
  .tuple(fc.uniqueArray(fc.nat({ max: 6 })), fc.nat({ max: 1_440 }), fc.nat({ max: 1_440 }))
  .map(([weekdays, one, other]) => ({
    weekdays,
    fromMinute: Math.min(one, other),
    untilMinute: Math.max(one, other),
  }))

const otherSheetArbitrary: fc.Arbitrary<PriceSheet> = fc.record(
  {
    tier: fc.constantFrom(...priceTiers),
    aboveInputTokens: fc.constantFrom(0, 100_000, 200_000, 272_000),
    hours: fc.array(hoursArbitrary, { maxLength: 2 }),
    rates: ratesArbitrary,
  },
  { requiredKeys: ['tier', 'aboveInputTokens', 'rates'] },
)

export const toolNames = ['web_search', 'file_search']
export const regions = ['us', 'eu']

/** A price as a table or an operator could have it: no two sheets for the same requests. */
export const priceArbitrary: fc.Arbitrary<PriceVersion> = fc.record({
  id: fc.constant(brand<PriceVersionId>('generated')),
  effectiveFromMs: fc.constant(0),
  source: fc.constant('table' as const),
  sheets: fc
    .tuple(
      ratesArbitrary,
      fc.uniqueArray(otherSheetArbitrary, {
        maxLength: 6,
        selector: ({ tier, aboveInputTokens, hours }) => `${tier} ${aboveInputTokens} ${hours !== undefined}`,
      }),
    )
    .map(([rates, others]): readonly PriceSheet[] => [
      ...others.filter(
        ({ tier, aboveInputTokens, hours }) =>
          `${tier} ${aboveInputTokens} ${hours}` !== 'standard 0 undefined',
      ),
      { tier: 'standard', aboveInputTokens: 0, rates },
    ]),
  toolCalls: fc.dictionary(fc.constantFrom(...toolNames), rateArbitrary),
  regionPpm: fc.dictionary(fc.constantFrom(...regions), fc.integer({ min: 1_000_000, max: 2_000_000 })),
})

export const servedArbitrary: fc.Arbitrary<ServedTerms> = fc.record({
  tier: fc.constantFrom(...priceTiers),
  atMs: fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) }),
  region: fc.option(fc.constantFrom(...regions, 'elsewhere'), { nil: undefined }),
})

const tokensArbitrary = fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 300_000 }), fc.nat({ max: 5_000_000 }))
const shareArbitrary = fc.nat({ max: 100 })

function partOf(whole: number, share: number): number {
  return Math.floor((whole * share) / 100)
}

/** Usage whose parts fit in their classes together. */
export const pricedUsageArbitrary: fc.Arbitrary<Usage> = fc
  .record({
    fresh: tokensArbitrary,
    cacheRead: tokensArbitrary,
    short: tokensArbitrary,
    long: tokensArbitrary,
    output: tokensArbitrary,
    shares: fc.tuple(
      shareArbitrary,
      shareArbitrary,
      shareArbitrary,
      shareArbitrary,
      shareArbitrary,
      shareArbitrary,
    ),
    toolCalls: fc.dictionary(fc.constantFrom(...toolNames), fc.nat({ max: 100 })),
  })
  .map(({ fresh, cacheRead, short, long, output, shares, toolCalls }) => {
    const freshAudio = partOf(fresh, shares[0])
    const reasoningTokens = partOf(output, shares[2])
    const outputAudioTokens = partOf(output - reasoningTokens, shares[3])
    const cacheReadAudioTokens = partOf(cacheRead, shares[4])
    return {
      ...noUsage,
      freshInputTokens: fresh,
      cacheReadTokens: cacheRead,
      cacheWriteShortTokens: short,
      cacheWriteLongTokens: long,
      outputTokens: output,
      inputAudioTokens: freshAudio + cacheReadAudioTokens,
      cacheReadAudioTokens,
      inputImageTokens: partOf(fresh - freshAudio, shares[1]),
      reasoningTokens,
      outputAudioTokens,
      outputImageTokens: partOf(output - reasoningTokens - outputAudioTokens, shares[5]),
      toolCalls,
    }
  })

const foreignNumber = fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger())

/** Usage as a broken or hostile upstream could name it. */
export const foreignUsageArbitrary: fc.Arbitrary<Usage> = fc.record({
  freshInputTokens: foreignNumber,
  cacheReadTokens: foreignNumber,
  cacheWriteShortTokens: foreignNumber,
  cacheWriteLongTokens: foreignNumber,
  outputTokens: foreignNumber,
  reasoningTokens: foreignNumber,
  inputAudioTokens: foreignNumber,
  inputImageTokens: foreignNumber,
  cacheReadAudioTokens: foreignNumber,
  outputAudioTokens: foreignNumber,
  outputImageTokens: foreignNumber,
  acceptedPredictionTokens: foreignNumber,
  rejectedPredictionTokens: foreignNumber,
  toolCalls: fc.dictionary(fc.oneof(fc.constantFrom(...toolNames), fc.string()), foreignNumber),
  isEstimated: fc.boolean(),
})
