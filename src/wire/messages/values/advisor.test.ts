import { expect, test } from 'vitest'
import { readUsage } from './read-usage.ts'

const totals = { input_tokens: 2_482, output_tokens: 166 }

test('the usage of an advisor is added to the totals, at unknown rates', () => {
  const iterations = [
    { type: 'message', input_tokens: 1_128, output_tokens: 155 },
    { type: 'advisor_message', model: 'claude-fable-5', input_tokens: 2_564, output_tokens: 99 },
    { type: 'message', input_tokens: 1_354, output_tokens: 11 },
  ]
  expect(readUsage({ ...totals, iterations })).toMatchObject({
    freshInputTokens: 2_482 + 2_564,
    outputTokens: 166 + 99,
    isEstimated: true,
  })
})

test('a summary is billed at the rates of the model itself', () => {
  const iterations = [{ type: 'compaction', input_tokens: 60_385, output_tokens: 522 }]
  expect(readUsage({ ...totals, iterations })).toMatchObject({
    freshInputTokens: 2_482 + 60_385,
    outputTokens: 166 + 522,
    isEstimated: false,
  })
})
