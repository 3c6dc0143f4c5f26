import { expect, it } from 'vitest'
import { noUsage } from '../../canonical/usage.ts'
import { readRealtimeUsage } from './read-usage.ts'

it('the classes of a response do not overlap', () => {
  const usage = readRealtimeUsage({
    total_tokens: 253,
    input_tokens: 132,
    output_tokens: 121,
    input_token_details: {
      text_tokens: 100,
      audio_tokens: 22,
      image_tokens: 10,
      cached_tokens: 64,
      cached_tokens_details: { text_tokens: 50, audio_tokens: 8, image_tokens: 6 },
    },
    output_token_details: { text_tokens: 30, audio_tokens: 91 },
  })
  expect(usage).toEqual({
    ...noUsage,
    freshInputTokens: 68,
    cacheReadTokens: 64,
    outputTokens: 121,
    inputAudioTokens: 22,
    cacheReadAudioTokens: 8,
    inputImageTokens: 4,
    outputAudioTokens: 91,
  })
})

it.each([[undefined], [null], ['none']])('%j is not valid usage', (value) => {
  expect(readRealtimeUsage(value)).toBeUndefined()
})

it('impossible numbers are clamped and flagged', () => {
  const usage = readRealtimeUsage({
    input_tokens: 10,
    output_tokens: -1,
    input_token_details: { cached_tokens: 20, audio_tokens: 1e9 },
  })
  expect(usage).toMatchObject({
    freshInputTokens: 0,
    cacheReadTokens: 10,
    outputTokens: 0,
    isEstimated: true,
  })
})
