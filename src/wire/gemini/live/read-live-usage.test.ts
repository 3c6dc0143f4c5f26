import { expect, it } from 'vitest'
import type { JsonValue } from '../../../kit/json/json.ts'
import { readLiveUsage } from './read-live-usage.ts'

it('the classes of a response do not overlap', () => {
  const usage = readLiveUsage({
    promptTokenCount: 200,
    cachedContentTokenCount: 50,
    toolUsePromptTokenCount: 7,
    responseTokenCount: 100,
    thoughtsTokenCount: 20,
    totalTokenCount: 327,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 90 },
      { modality: 'AUDIO', tokenCount: 80 },
      { modality: 'IMAGE', tokenCount: 30 },
    ],
    cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 11 }],
    responseTokensDetails: [
      { modality: 'TEXT', tokenCount: 40 },
      { modality: 'AUDIO', tokenCount: 60 },
    ],
  })
  expect(usage).toMatchObject({
    freshInputTokens: 157,
    cacheReadTokens: 50,
    cacheReadAudioTokens: 11,
    inputAudioTokens: 80,
    inputImageTokens: 30,
    outputTokens: 120,
    reasoningTokens: 20,
    outputAudioTokens: 60,
    isEstimated: false,
  })
})

it('thoughts that the total leaves out are output like others', () => {
  // A receipt of gemini-3.8-live.
  const usage = readLiveUsage({
    promptTokenCount: 522,
    responseTokenCount: 42,
    totalTokenCount: 564,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 332 },
      { modality: 'AUDIO', tokenCount: 165 },
    ],
    responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 42 }],
    thoughtsTokenCount: 136,
  })
  expect(usage).toMatchObject({
    freshInputTokens: 522,
    inputAudioTokens: 165,
    outputTokens: 178,
    reasoningTokens: 136,
    outputAudioTokens: 42,
    isEstimated: false,
  })
})

it.each(['VIDEO', 3])('the frames of a camera count as images: modality %j', (modality) => {
  const usage = readLiveUsage({
    promptTokenCount: 300,
    responseTokenCount: 1,
    totalTokenCount: 301,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 20 },
      { modality: 'IMAGE', tokenCount: 22 },
      { modality, tokenCount: 258 },
    ],
  })
  expect(usage).toMatchObject({ freshInputTokens: 300, inputImageTokens: 280, isEstimated: false })
})

it.each<[JsonValue | undefined]>([
  [undefined],
  [null],
  ['none'],
  [[]],
  [7],
  [{}],
  [{ promptTokensDetails: [] }],
])('%j is not valid usage', (value) => {
  expect(readLiveUsage(value)).toBeUndefined()
})

it('the names of usage from other methods are read, too', () => {
  const usage = readLiveUsage({ promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 })
  expect(usage).toMatchObject({ freshInputTokens: 3, outputTokens: 5 })
})

it.each<[string, JsonValue]>([
  ['below zero', { promptTokenCount: 10, responseTokenCount: -5, totalTokenCount: 10 }],
  ['with a fraction', { promptTokenCount: 9.5, responseTokenCount: 0, totalTokenCount: 10 }],
  [
    'as objects',
    { promptTokenCount: 10, responseTokenCount: { valueOf: 1, toString: 1 }, totalTokenCount: 10 },
  ],
  ['as texts', { promptTokenCount: 10, responseTokenCount: '5', totalTokenCount: 10 }],
])('numbers %s are clamped and flagged', (_what, value) => {
  expect(readLiveUsage(value)).toMatchObject({ freshInputTokens: 10, outputTokens: 0, isEstimated: true })
})

it('parts larger than the total are clamped and flagged', () => {
  const usage = readLiveUsage({
    promptTokenCount: 10,
    cachedContentTokenCount: 1e9,
    responseTokenCount: 5,
    totalTokenCount: 15,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 1e12 }],
    responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 9 }, 'broken', null],
  })
  expect(usage).toMatchObject({
    freshInputTokens: 0,
    cacheReadTokens: 10,
    inputAudioTokens: 10,
    outputTokens: 5,
    outputAudioTokens: 5,
    isEstimated: true,
  })
})

it('counts of any size are safe integers', () => {
  const usage = readLiveUsage({ promptTokenCount: 1e300, responseTokenCount: 1, totalTokenCount: 1e300 })
  expect(Number.isSafeInteger(usage?.freshInputTokens)).toBe(true)
})

it('usage in snake case is read like usage in camel case', () => {
  const usage = readLiveUsage({
    prompt_token_count: 20,
    response_token_count: 9,
    thoughts_token_count: 2,
    total_token_count: 31,
    prompt_tokens_details: [{ modality: 'AUDIO', token_count: 4 }],
    response_tokens_details: [{ modality: 'AUDIO', token_count: 6 }],
  })
  expect(usage).toMatchObject({
    freshInputTokens: 20,
    inputAudioTokens: 4,
    outputTokens: 11,
    reasoningTokens: 2,
    outputAudioTokens: 6,
  })
})
