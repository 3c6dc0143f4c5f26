import { describe, expect, it } from 'vitest'
import { noUsage } from '../../../canonical/usage.ts'
import type { JsonValue } from '../../../kit/json/json.ts'
import { joinUsage, readUsage } from './read-usage.ts'

describe('readUsage', () => {
  const rows: readonly (readonly [string, JsonValue, object])[] = [
    [
      'classes that do not overlap',
      {
        input_tokens: 10,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 12, ephemeral_1h_input_tokens: 18 },
        output_tokens: 40,
        output_tokens_details: { thinking_tokens: 25 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
      },
      {
        freshInputTokens: 10,
        cacheReadTokens: 20,
        cacheWriteShortTokens: 12,
        cacheWriteLongTokens: 18,
        outputTokens: 40,
        reasoningTokens: 25,
        toolCalls: { web_search: 2 },
      },
    ],
    [
      'cache writes of an unknown lifetime as short',
      { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 30 },
      { freshInputTokens: 1, outputTokens: 2, cacheWriteShortTokens: 30 },
    ],
    [
      'numbers that no count can be, clamped and flagged',
      { input_tokens: -5, output_tokens: 1.5, cache_read_input_tokens: 'many' },
      { outputTokens: 2, isEstimated: true },
    ],
    [
      'more thinking than output, flagged',
      { input_tokens: 1, output_tokens: 2, output_tokens_details: { thinking_tokens: 9 } },
      { freshInputTokens: 1, outputTokens: 2, reasoningTokens: 2, isEstimated: true },
    ],
    [
      'what a summary of the conversation cost beside the totals',
      {
        input_tokens: 682,
        output_tokens: 1320,
        iterations: [
          { type: 'compaction', input_tokens: 60385, output_tokens: 592, cache_read_input_tokens: 7 },
          { type: 'message', input_tokens: 682, output_tokens: 1320 },
        ],
      },
      { freshInputTokens: 61067, cacheReadTokens: 7, outputTokens: 1912 },
    ],
    [
      'nothing beside the totals where there was no summary',
      {
        input_tokens: 3,
        output_tokens: 4,
        iterations: [{ type: 'message', input_tokens: 3, output_tokens: 4 }],
      },
      { freshInputTokens: 3, outputTokens: 4 },
    ],
    [
      'what is billed at another price',
      { input_tokens: 3, output_tokens: 4, speed: 'fast', inference_geo: 'us' },
      { freshInputTokens: 3, outputTokens: 4, speed: 'fast', region: 'us' },
    ],
    [
      'the usual speed and the usual place as nothing',
      { input_tokens: 3, output_tokens: 4, speed: 'standard', inference_geo: 'not_available' },
      { freshInputTokens: 3, outputTokens: 4 },
    ],
    ['a missing total, flagged', { input_tokens: 1 }, { freshInputTokens: 1, isEstimated: true }],
    [
      'null as nothing',
      { input_tokens: 1, output_tokens: 2, cache_creation: null, server_tool_use: null },
      { freshInputTokens: 1, outputTokens: 2 },
    ],
  ]
  for (const [name, usage, expected] of rows) {
    it(`reads ${name}`, () => {
      expect(readUsage(usage)).toEqual({ ...noUsage, ...expected })
    })
  }

  it('returns undefined for values without usage', () => {
    expect([readUsage(undefined), readUsage(null), readUsage('x')]).toEqual([undefined, undefined, undefined])
  })

  it('replaces earlier counters by later ones, but not by null', () => {
    const before = { input_tokens: 9, cache_creation: { ephemeral_1h_input_tokens: 4 }, output_tokens: 1 }
    const joined = joinUsage(before, { input_tokens: null, cache_creation_input_tokens: 6, output_tokens: 7 })
    expect(readUsage(joined)).toEqual({
      ...noUsage,
      freshInputTokens: 9,
      cacheWriteShortTokens: 2,
      cacheWriteLongTokens: 4,
      outputTokens: 7,
    })
  })
})

it('a later statement of no input at all does not replace the input of the start', () => {
  const before = { input_tokens: 120, cache_creation_input_tokens: 30, output_tokens: 1 }
  const after = { input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 45 }
  expect(readUsage(joinUsage(before, after))).toMatchObject({
    freshInputTokens: 120,
    cacheWriteShortTokens: 30,
    outputTokens: 45,
  })
  const read = { input_tokens: 0, cache_read_input_tokens: 150, output_tokens: 45 }
  expect(readUsage(joinUsage(before, read))).toMatchObject({ freshInputTokens: 0, cacheReadTokens: 150 })
})
