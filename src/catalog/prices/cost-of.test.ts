import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  foreignUsageArbitrary,
  priceArbitrary,
  pricedUsageArbitrary,
  servedArbitrary,
} from '../../../test/support/price-arbitraries.ts'
import { nanoDollarsOf } from '../../canonical/money.ts'
import { addUsage, noUsage, type Usage } from '../../canonical/usage.ts'
import { brand } from '../../kit/brand.ts'
import { costOf } from './cost-of.ts'
import type { PriceRates, PriceSheet, PriceVersion, PriceVersionId, ServedTerms } from './price.ts'

const served: ServedTerms = { tier: 'standard', atMs: Date.UTC(2026, 10, 23, 12) }

const usd = nanoDollarsOf
/** 1,000 nano-dollars a token. */
const dollar: PriceRates = { input: usd(1), output: usd(1) }

function sheet(rates: PriceRates, others: Partial<PriceSheet> = {}): PriceSheet {
  return { tier: 'standard', aboveInputTokens: 0, rates, ...others }
}

function version(sheets: readonly PriceSheet[], others: Partial<PriceVersion> = {}): PriceVersion {
  return {
    id: brand<PriceVersionId>('test'),
    effectiveFromMs: 0,
    source: 'table',
    sheets,
    toolCalls: {},
    ...others,
  }
}

const gpt = version([
  sheet({ input: usd(2.5), cacheRead: usd(1.25), output: usd(10) }),
  sheet({ input: usd(4.25), cacheRead: usd(2.125), output: usd(17) }, { tier: 'priority' }),
])

const claude = version([
  sheet({
    input: usd(3),
    cacheRead: usd(0.3),
    cacheWrite: usd(3.75),
    cacheWriteLong: usd(6),
    output: usd(15),
  }),
])

function exactCost(usage: Partial<Usage>, price: PriceVersion, at: Partial<ServedTerms> = {}) {
  return costOf({ ...noUsage, ...usage }, price, { ...served, ...at })
}

describe('the cost of an answer', () => {
  it.each([
    [0, 0],
    [1, 35_000_000],
    [4, 35_000_000],
  ])('bills a tool that is priced per answer once: %i calls', (web_search, cost) => {
    const price = version([sheet(dollar)], {
      toolCalls: { web_search: usd(35_000) },
      toolsByAnswer: ['web_search'],
    })
    expect(exactCost({ toolCalls: { web_search } }, price)).toBe(cost)
  })

  it.each([
    [0, 0],
    [2, 10_000_000],
    [10, 10_000_000],
    [11, 11_000_000],
  ])('bills a recording for the minimum number of seconds of its provider: %i', (audio_second, cost) => {
    const price = version([sheet(dollar)], {
      toolCalls: { audio_second: usd(1_000) },
      minCalls: { audio_second: 10 },
    })
    expect(exactCost({ toolCalls: { audio_second } }, price)).toBe(cost)
  })

  it('multiplies the tokens of each class by the rate of the class', () => {
    const usage = { freshInputTokens: 1_000, cacheReadTokens: 2_000, outputTokens: 300 }
    expect(exactCost(usage, gpt)).toBe(1_000 * 2_500 + 2_000 * 1_250 + 300 * 10_000)
  })

  it('bills cache writes by their lifetime', () => {
    const usage = { cacheWriteShortTokens: 1_000, cacheWriteLongTokens: 1_000 }
    expect(exactCost(usage, claude)).toBe(3_750_000 + 6_000_000)
  })

  it('bills a class without a rate at the rate of its parent class', () => {
    const usage = {
      cacheReadTokens: 10,
      cacheWriteShortTokens: 10,
      cacheWriteLongTokens: 10,
      outputTokens: 10,
    }
    expect(exactCost({ ...usage, reasoningTokens: 5 }, version([sheet(dollar)]))).toBe(40_000)
    const writes = version([sheet({ ...dollar, cacheWrite: usd(2) })])
    expect(exactCost({ cacheWriteLongTokens: 10 }, writes)).toBe(20_000)
  })

  it('bills audio, images and reasoning once, as parts of their class', () => {
    const rates = {
      ...dollar,
      inputAudio: usd(3),
      inputImage: usd(5),
      reasoning: usd(7),
      outputAudio: usd(11),
    }
    const price = version([sheet(rates)])
    const input = { freshInputTokens: 100, inputAudioTokens: 30, inputImageTokens: 20 }
    expect(exactCost(input, price)).toBe(50_000 + 30 * 3_000 + 20 * 5_000)
    const output = { outputTokens: 100, reasoningTokens: 30, outputAudioTokens: 20 }
    expect(exactCost(output, price)).toBe(50_000 + 30 * 7_000 + 20 * 11_000)
  })

  it('bills cached audio as cached, and output images at their own rate', () => {
    const price = version([
      sheet({
        ...dollar,
        inputAudio: usd(3),
        cacheRead: usd(0.25),
        cacheReadAudio: usd(0.5),
        outputImage: usd(30),
      }),
    ])
    const input = {
      freshInputTokens: 50,
      cacheReadTokens: 40,
      inputAudioTokens: 30,
      cacheReadAudioTokens: 10,
    }
    expect(exactCost(input, price)).toBe(30_000 + 20 * 3_000 + 30 * 250 + 10 * 500)
    expect(exactCost({ outputTokens: 100, outputImageTokens: 90 }, price)).toBe(10_000 + 90 * 30_000)
  })

  it('bills a part up to the size of its class', () => {
    const price = version([sheet({ ...dollar, inputAudio: usd(3), reasoning: usd(7) })])
    expect(exactCost({ freshInputTokens: 10, inputAudioTokens: 50 }, price)).toBe(30_000)
    expect(exactCost({ outputTokens: 10, reasoningTokens: 50 }, price)).toBe(70_000)
  })

  it('uses the tier that served the answer, or the standard tier if the served tier has no rates', () => {
    const usage = { freshInputTokens: 1_000 }
    expect(exactCost(usage, gpt, { tier: 'priority' })).toBe(4_250_000)
    expect(exactCost(usage, gpt, { tier: 'flex' })).toBe(2_500_000)
    expect(exactCost(usage, gpt, { tier: 'fast' })).toBe(4_250_000)
  })

  it('bills the whole request at the rates for its total input', () => {
    const price = version([
      sheet(dollar),
      sheet({ input: usd(2), output: usd(3) }, { aboveInputTokens: 200_000 }),
    ])
    const output = { outputTokens: 1_000 }
    expect(exactCost({ ...output, freshInputTokens: 200_000 }, price)).toBe(201_000 * 1_000)
    const long = { ...output, freshInputTokens: 100_000, cacheReadTokens: 100_000, cacheWriteShortTokens: 1 }
    expect(exactCost(long, price)).toBe(200_001 * 2_000 + 1_000 * 3_000)
  })

  it('uses the rates of the hour at which the answer ended', () => {
    const weekdays = [1, 2, 3, 4, 5]
    const night = { weekdays, fromMinute: 600, untilMinute: 1_440 }
    const price = version([sheet(dollar), sheet({ input: usd(0.5), output: usd(0.5) }, { hours: [night] })])
    const at = (day: number, hour: number, minute: number) =>
      exactCost({ outputTokens: 10 }, price, { atMs: Date.UTC(2026, 10, day, hour, minute) })
    expect(at(23, 9, 59)).toBe(10_000)
    expect(at(23, 10, 0)).toBe(5_000)
    expect(at(23, 23, 59)).toBe(5_000)
    expect(at(22, 12, 0)).toBe(10_000)
  })

  it('adds the surcharge of the region that computed the answer, for tokens only', () => {
    const price = version([sheet(dollar)], {
      regionPpm: { us: 1_100_000 },
      toolCalls: { web_search: usd(10_000) },
    })
    const usage = { outputTokens: 10, toolCalls: { web_search: 1 } }
    expect(exactCost(usage, price, { region: 'us' })).toBe(11_000 + 10_000_000)
    expect(exactCost(usage, price, { region: 'eu' })).toBe(10_000 + 10_000_000)
  })

  it('bills tool calls by their name in the price', () => {
    const price = version([sheet(dollar)], {
      toolCalls: { web_search: usd(10_000), file_search: usd(2_500) },
    })
    expect(
      exactCost({ toolCalls: { web_search: 2, file_search: 1, unheard_of: 9, toString: 1 } }, price),
    ).toBe(22_500_000)
  })

  it('rounds up once, after summing', () => {
    const price = version([sheet({ input: brand(1), output: brand(1) })])
    expect(exactCost({ freshInputTokens: 1, outputTokens: 1 }, price)).toBe(1)
    expect(exactCost({ freshInputTokens: 999_999, outputTokens: 1 }, price)).toBe(1)
    expect(exactCost({ freshInputTokens: 1_000_000, outputTokens: 1 }, price)).toBe(2)
    expect(exactCost({}, price)).toBe(0)
  })

  test.each([-5, Number.NaN, Number.NEGATIVE_INFINITY])(
    'never credits a caller: %s tokens cost nothing',
    (count) => {
      const price = version([sheet(dollar)], { toolCalls: { search: usd(1) } })
      const usage = {
        freshInputTokens: 10,
        outputTokens: count,
        reasoningTokens: count,
        toolCalls: { search: count },
      }
      expect(exactCost(usage, price)).toBe(10_000)
    },
  )

  it('is an integer whatever an answer claims', () => {
    const price = version([sheet({ input: usd(1_000_000), output: usd(1_000_000) })])
    const usage = { freshInputTokens: Number.POSITIVE_INFINITY, outputTokens: Number.MAX_VALUE }
    expect(exactCost(usage, price)).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('the cost of any answer', () => {
  it('equals exact arithmetic', () => {
    fc.assert(
      fc.property(pricedUsageArbitrary, priceArbitrary, servedArbitrary, (usage, price, at) => {
        expect(BigInt(costOf(usage, price, at))).toBe(exactly(usage, price, at))
      }),
    )
  })

  it('never falls when the answer uses more', () => {
    fc.assert(
      fc.property(
        pricedUsageArbitrary,
        pricedUsageArbitrary,
        priceArbitrary,
        servedArbitrary,
        (usage, more, price, at) => {
          const flat = {
            ...price,
            sheets: price.sheets.filter(({ aboveInputTokens }) => aboveInputTokens === 0),
          }
          expect(costOf(addUsage(usage, more), flat, at)).toBeGreaterThanOrEqual(costOf(usage, flat, at))
        },
      ),
    )
  })

  it('is a non-negative integer, whatever the numbers are', () => {
    fc.assert(
      fc.property(foreignUsageArbitrary, priceArbitrary, servedArbitrary, (usage, price, at) => {
        const cost = costOf(usage, price, at)
        expect(Number.isSafeInteger(cost) && cost >= 0).toBe(true)
      }),
    )
  })
})

/**
 * The rule once more, in another shape: the fitting sheets sorted, and everything in one sum of a millionth
 * of a millionth.
 */
function exactly(usage: Usage, price: PriceVersion, at: ServedTerms): bigint {
  const input =
    usage.freshInputTokens + usage.cacheReadTokens + usage.cacheWriteShortTokens + usage.cacheWriteLongTokens
  const chain = {
    standard: [],
    batch: [],
    flex: [],
    priority: [],
    fast: ['priority'],
    ultrafast: ['fast', 'priority'],
  }
  const order = [at.tier, ...chain[at.tier], 'standard']
  const time = new Date(at.atMs)
  const minute = time.getUTCHours() * 60 + time.getUTCMinutes()
  const isOpen = ({ hours }: PriceSheet) =>
    hours?.some(
      (span) =>
        span.weekdays.includes(time.getUTCDay()) && span.fromMinute <= minute && minute < span.untilMinute,
    ) ?? true
  const [sheet] = price.sheets
    .filter(
      (each) => order.includes(each.tier) && (each.aboveInputTokens === 0 || each.aboveInputTokens < input),
    )
    .filter(isOpen)
    .sort(
      (left, right) =>
        order.indexOf(left.tier) - order.indexOf(right.tier) ||
        Number(right.hours !== undefined) - Number(left.hours !== undefined) ||
        right.aboveInputTokens - left.aboveInputTokens,
    )
  if (sheet === undefined) throw new Error('Every price has standard rates.')
  const { rates } = sheet
  const freshAudio = usage.inputAudioTokens - usage.cacheReadAudioTokens
  const plainOutput =
    usage.outputTokens - usage.reasoningTokens - usage.outputAudioTokens - usage.outputImageTokens
  const tokens: readonly (readonly [number, number])[] = [
    [usage.freshInputTokens - freshAudio - usage.inputImageTokens, rates.input],
    [freshAudio, rates.inputAudio ?? rates.input],
    [usage.inputImageTokens, rates.inputImage ?? rates.input],
    [usage.cacheReadTokens - usage.cacheReadAudioTokens, rates.cacheRead ?? rates.input],
    [usage.cacheReadAudioTokens, rates.cacheReadAudio ?? rates.cacheRead ?? rates.inputAudio ?? rates.input],
    [usage.cacheWriteShortTokens, rates.cacheWrite ?? rates.input],
    [usage.cacheWriteLongTokens, rates.cacheWriteLong ?? rates.cacheWrite ?? rates.input],
    [plainOutput, rates.output],
    [usage.reasoningTokens, rates.reasoning ?? rates.output],
    [usage.outputAudioTokens, rates.outputAudio ?? rates.output],
    [usage.outputImageTokens, rates.outputImage ?? rates.output],
  ]
  const calls = Object.entries(usage.toolCalls).map(
    ([name, count]) => BigInt(count) * BigInt(price.toolCalls[name] ?? 0),
  )
  const tokenSum = tokens.reduce((sum, [count, rate]) => sum + BigInt(count) * BigInt(rate), 0n)
  const region = BigInt(price.regionPpm?.[at.region ?? ''] ?? 1_000_000)
  const sum = tokenSum * region + calls.reduce((total, call) => total + call, 0n) * 1_000_000n
  const whole = sum / 1_000_000_000_000n
  const cost = sum % 1_000_000_000_000n === 0n ? whole : whole + 1n
  return cost < 9_007_199_254_740_991n ? cost : 9_007_199_254_740_991n
}
