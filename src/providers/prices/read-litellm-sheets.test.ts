import { describe, expect, it } from 'vitest'
import { nanoDollarsOf } from '../../canonical/money.ts'
import type { TableSheet } from '../../catalog/prices/price-table.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { readLitellmSheets } from './read-litellm-sheets.ts'

const usd = nanoDollarsOf

function read(entry: JsonObject, hasInclusiveThresholds = false): readonly TableSheet[] {
  return readLitellmSheets(entry, { hasInclusiveThresholds, writesText: true })
}

const plain = { input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 }

describe('a LiteLLM entry', () => {
  it('is converted to dollars from rates per token', () => {
    const entry = {
      ...plain,
      input_cost_per_token: 1.1e-6,
      cache_read_input_token_cost: 2.75e-7,
      cache_creation_input_token_cost: 3.75e-6,
      cache_creation_input_token_cost_above_1hr: 6e-6,
      input_cost_per_audio_token: 1e-5,
      output_cost_per_reasoning_token: 3e-6,
    }
    expect(read(entry)).toEqual([
      {
        input: usd(1.1),
        cacheRead: usd(0.275),
        cacheWrite: usd(3.75),
        cacheWriteLong: usd(6),
        inputAudio: usd(10),
        output: usd(10),
        reasoning: usd(3),
      },
    ])
  })

  it('has a separate price for each tier, including its long inputs', () => {
    const entry = {
      ...plain,
      input_cost_per_token_above_200k_tokens: 4e-6,
      output_cost_per_token_above_200k_tokens: 1.5e-5,
      input_cost_per_token_batches: 1e-6,
      output_cost_per_token_batches: 5e-6,
      input_cost_per_token_above_200k_tokens_batches: 2e-6,
      output_cost_per_token_above_200k_tokens_batches: 7.5e-6,
    }
    expect(read(entry)).toEqual([
      { input: usd(2), output: usd(10) },
      { above: 200_000, input: usd(4), output: usd(15) },
      { tier: 'batch', input: usd(1), output: usd(5) },
      { tier: 'batch', above: 200_000, input: usd(2), output: usd(7.5) },
    ])
  })

  it('estimates a missing rate of a tier by the ratio of the rates that it has', () => {
    const entry = {
      ...plain,
      cache_read_input_token_cost: 2e-7,
      cache_creation_input_token_cost_above_1hr: 4e-6,
      input_cost_per_token_above_200k_tokens: 4e-6,
      output_cost_per_token_above_200k_tokens: 1.5e-5,
      input_cost_per_token_priority: 4e-6,
      output_cost_per_token_priority: 2e-5,
    }
    const priority = read(entry).filter(({ tier }) => tier === 'priority')
    expect(priority).toEqual([
      { tier: 'priority', input: usd(4), cacheRead: usd(0.4), cacheWriteLong: usd(8), output: usd(20) },
      {
        tier: 'priority',
        above: 200_000,
        input: usd(8),
        cacheRead: usd(0.8),
        cacheWriteLong: usd(16),
        output: usd(30),
      },
    ])
  })

  it('gives no discount on cached input unless the entry has one', () => {
    const batch = { input_cost_per_token_batches: 1e-6, output_cost_per_token_batches: 5e-6 }
    const cached = (rate: number) =>
      read({ ...plain, ...batch, cache_read_input_token_cost: rate })[1]?.cacheRead
    expect(cached(5e-7)).toBe(usd(0.5))
    expect(cached(1.5e-6)).toBe(usd(1))
  })

  it('has rates for ranges of input lengths', () => {
    const tiered_pricing = [
      { range: [0, 32_000], input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
      { range: [32_000, 128_000], input_cost_per_token: 3e-6, output_cost_per_token: 4e-6 },
    ]
    expect(read({ tiered_pricing })).toEqual([
      { input: usd(1), output: usd(2) },
      { above: 32_000, input: usd(3), output: usd(4) },
    ])
  })

  it('has long-input rates from a threshold on, inclusive if the provider defines it so', () => {
    const entry = { ...plain, input_cost_per_token_above_128k_tokens: 4e-6 }
    expect(read(entry)[1]?.above).toBe(128_000)
    expect(read(entry, true)[1]?.above).toBe(127_999)
  })

  it('has rates for hours of the week', () => {
    const windows = [
      { weekdays: [1, 2], hours_utc: ['00:00-01:00', '10:00-00:00'] },
      { weekdays: [7], hours_utc: '16:30-00:30' },
    ]
    const [, offPeak] = read({ ...plain, off_peak_pricing: { input_cost_per_token: 1e-6, windows } })
    expect(offPeak).toEqual({
      hours: [
        { weekdays: [1, 2], fromMinute: 0, untilMinute: 60 },
        { weekdays: [1, 2], fromMinute: 600, untilMinute: 1_440 },
        { weekdays: [0], fromMinute: 990, untilMinute: 1_440 },
        { weekdays: [1], fromMinute: 0, untilMinute: 30 },
      ],
      input: usd(1),
      output: usd(10),
    })
  })

  it('multiplies its rates for a faster mode', () => {
    const entry = { ...plain, cache_read_input_token_cost: 2e-7, provider_specific_entry: { fast: 2 } }
    expect(read(entry)[1]).toEqual({ tier: 'fast', input: usd(4), cacheRead: usd(0.4), output: usd(20) })
  })

  it('has no price if a rate of 0 may mean that the price is unknown', () => {
    expect(read({ input_cost_per_token: 0, output_cost_per_token: 0 })).toEqual([])
    expect(read({ input_cost_per_token: 1e-6, output_cost_per_token: 0 })).toEqual([])
    expect(read({ input_cost_per_second: 1e-4 })).toEqual([])
    expect(read({ ...plain, cache_creation_input_token_cost: 0 })).toEqual([
      { input: usd(2), output: usd(10) },
    ])
  })

  it('bills the text output of an image model like its images', () => {
    const entry = { input_cost_per_token: 5e-6, output_cost_per_image_token: 4e-5 }
    expect(read(entry)).toEqual([{ input: usd(5), outputImage: usd(40), output: usd(40) }])
  })
})
