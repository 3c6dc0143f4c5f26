import { describe, expect, it } from 'vitest'
import { createLossList } from '../../../canonical/loss.ts'
import { inputTokensOf, noUsage } from '../../../canonical/usage.ts'
import { readUsage } from './read-usage.ts'
import { writeUsage } from './write-usage.ts'

describe('usage of the chat format', () => {
  it('has disjoint classes', () => {
    const usage = readUsage({
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30, audio_tokens: 4, image_tokens: 3 },
      completion_tokens_details: {
        reasoning_tokens: 20,
        audio_tokens: 5,
        accepted_prediction_tokens: 2,
        rejected_prediction_tokens: 1,
      },
    })
    expect(usage).toEqual({
      ...noUsage,
      freshInputTokens: 10,
      cacheReadTokens: 60,
      cacheWriteShortTokens: 30,
      outputTokens: 50,
      reasoningTokens: 20,
      inputAudioTokens: 4,
      inputImageTokens: 3,
      outputAudioTokens: 5,
      acceptedPredictionTokens: 2,
      rejectedPredictionTokens: 1,
    })
  })

  it.each([
    ['prompt_cache_hit_tokens', { prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 4 }],
    ['cached_tokens', { cached_tokens: 6 }],
    ['num_cached_tokens', { num_cached_tokens: 6 }],
  ])('finds cached input under %s', (_name, more) => {
    expect(readUsage({ prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, ...more })).toMatchObject({
      freshInputTokens: 4,
      cacheReadTokens: 6,
      isEstimated: false,
    })
  })

  it('counts reasoning outside the completion as output', () => {
    const usage = readUsage({
      prompt_tokens: 165,
      completion_tokens: 2,
      total_tokens: 292,
      completion_tokens_details: { reasoning_tokens: 125 },
    })
    expect(usage).toMatchObject({ outputTokens: 127, reasoningTokens: 125, isEstimated: false })
  })

  it('detects reasoning outside the completion by the total, even if it is the smaller part', () => {
    const usage = readUsage({
      prompt_tokens: 10,
      completion_tokens: 44,
      total_tokens: 74,
      completion_tokens_details: { reasoning_tokens: 20 },
    })
    expect(usage).toMatchObject({ outputTokens: 64, reasoningTokens: 20, isEstimated: false })
  })

  it.each([
    [
      'more reasoning than completion',
      {
        prompt_tokens: 28,
        completion_tokens: 5,
        total_tokens: 33,
        completion_tokens_details: { reasoning_tokens: 49 },
      },
      28,
      54,
    ],
    ['output in the total alone', { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 }, 35, 74],
    ['a total alone', { total_tokens: 9 }, 9, 0],
    [
      'more cached than read',
      {
        prompt_tokens: 10,
        completion_tokens: 213,
        total_tokens: 223,
        prompt_tokens_details: { cached_tokens: 161 },
      },
      10,
      213,
    ],
    ['numbers that are none', { prompt_tokens: -3, completion_tokens: 1.5, total_tokens: 'x' }, 0, 2],
  ])('is estimated with %s', (_name, value, input, output) => {
    const usage = readUsage(value)
    expect([usage && inputTokensOf(usage), usage?.outputTokens, usage?.isEstimated]).toEqual([
      input,
      output,
      true,
    ])
  })

  it('counts audio outside the prompt as input', () => {
    const usage = readUsage({
      prompt_tokens: 9,
      completion_tokens: 201,
      total_tokens: 585,
      prompt_tokens_details: { audio_tokens: 375 },
    })
    expect(usage).toMatchObject({
      freshInputTokens: 384,
      inputAudioTokens: 375,
      outputTokens: 201,
      isEstimated: false,
    })
  })

  it.each([
    ['text', { text_tokens: 10, image_tokens: 0 }],
    ['text and a picture', { text_tokens: 4, image_tokens: 6 }],
  ])('counts cached input outside a prompt that %s fills', (_name, parts) => {
    const usage = readUsage({
      prompt_tokens: 10,
      completion_tokens: 213,
      total_tokens: 223,
      prompt_tokens_details: { cached_tokens: 161, audio_tokens: 0, ...parts },
    })
    expect(usage).toMatchObject({ freshInputTokens: 10, cacheReadTokens: 161, outputTokens: 213 })
    expect(usage && writeUsage(usage, createLossList())).toMatchObject({
      prompt_tokens: 171,
      total_tokens: 384,
      prompt_tokens_details: { cached_tokens: 161 },
    })
  })

  it('counts the tools that the provider bills', () => {
    expect(
      readUsage({ prompt_tokens: 1, server_tool_use_details: { web_search_requests: 2 } })?.toolCalls,
    ).toEqual({
      web_search: 2,
    })
  })

  it('is unknown, not zero, when the answer has none', () => {
    expect([readUsage(undefined), readUsage(null), readUsage([1])]).toEqual([undefined, undefined, undefined])
  })

  it('is written as totals, and its lost parts are declared', () => {
    const losses = createLossList()
    const usage = {
      ...noUsage,
      freshInputTokens: 1,
      cacheReadTokens: 2,
      cacheWriteLongTokens: 4,
      outputTokens: 8,
    }
    expect(writeUsage(usage, losses)).toMatchObject({
      prompt_tokens: 7,
      completion_tokens: 8,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 4 },
    })
    expect(losses.all).toEqual([{ feature: 'usage-detail', kind: 'dropped' }])
  })
})
