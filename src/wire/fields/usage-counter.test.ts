import { describe, expect, it } from 'vitest'
import { readUsage as readConverseUsage } from '../converse/values/read-usage.ts'
import { readUsage as readGeminiUsage } from '../gemini/values/read-usage.ts'
import { readUsage as readMessagesUsage } from '../messages/values/read-usage.ts'
import { readUsage as readOpenAiUsage } from '../openai/values/read-usage.ts'
import { readUsage as readResponsesUsage } from '../responses/values/read-usage.ts'
import { UsageCounter } from './usage-counter.ts'

describe('a count of usage', () => {
  it.each([
    [undefined, 0, false],
    [null, 0, false],
    [0, 0, false],
    [7, 7, false],
    [2.5, 3, true],
    [-3, 0, true],
    ['7', 0, true],
    [100_000_000, 100_000_000, false],
    [1e30, 100_000_000, true],
    [Number.POSITIVE_INFINITY, 100_000_000, true],
  ])('of %j is %d, estimated: %j', (value, count, isEstimated) => {
    const counter = new UsageCounter()
    expect(counter.count(value)).toBe(count)
    expect(counter.isEstimated).toBe(isEstimated)
  })

  it('that exceeds its total is cut and estimated', () => {
    const counter = new UsageCounter()
    expect(counter.partOf(5, 5)).toBe(5)
    expect(counter.isEstimated).toBe(false)
    expect(counter.partOf(6, 5)).toBe(5)
    expect(counter.isEstimated).toBe(true)
  })

  it.each([
    ['chat', () => readOpenAiUsage({ prompt_tokens: 1, completion_tokens: 2.5, total_tokens: 4 })],
    ['responses', () => readResponsesUsage({ usage: { input_tokens: 1, output_tokens: 2.5 } })],
    ['gemini', () => readGeminiUsage({ promptTokenCount: 1, candidatesTokenCount: 2.5, totalTokenCount: 4 })],
    ['messages', () => readMessagesUsage({ input_tokens: 1, output_tokens: 2.5 })],
    ['converse', () => readConverseUsage({ inputTokens: 1, outputTokens: 2.5, totalTokens: 4 })],
  ])('between two numbers is the larger in the format %s, too', (_format, read) => {
    expect(read()).toMatchObject({ freshInputTokens: 1, outputTokens: 3, isEstimated: true })
  })
})
