import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatFormat } from './chat/format.ts'
import { completionsFormat } from './completions/format.ts'
import { bedrockConverseFormat } from './converse/caller-format.ts'
import { embeddingsFormat } from './embeddings/format.ts'
import { geminiFormat } from './gemini/format.ts'
import type { LimitStatus } from './limit-status.ts'
import { countTokensFormat } from './messages/count-tokens/count-tokens-format.ts'
import { messagesFormat } from './messages/format.ts'
import { ollamaChatFormat } from './ollama/format.ts'
import { writeGoDuration } from './openai/values/write-limit-headers.ts'
import { responsesFormat } from './responses/format.ts'

const nowMs = Date.parse('2026-11-23T04:00:00.250Z')
const requests: LimitStatus = { kind: 'requests', limit: 60, remaining: 58.7, resetMs: 1_300 }
const tokens: LimitStatus = { kind: 'tokens', limit: 100_000, remaining: 41_600, resetMs: 35_040 }
const input: LimitStatus = { kind: 'input-tokens', limit: 80_000, remaining: 12_499, resetMs: 50_000 }
const output: LimitStatus = { kind: 'output-tokens', limit: 8_000, remaining: -20, resetMs: 60_150 }

describe.each([
  chatFormat,
  completionsFormat,
  responsesFormat,
  embeddingsFormat,
  geminiFormat,
  ollamaChatFormat,
  bedrockConverseFormat,
])('rate limits of a caller of the format $id', (format) => {
  it('are those of requests and tokens, with the time until the full limit is available again', () => {
    expect(format.writeLimitHeaders([requests, tokens], nowMs)).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '58',
      'x-ratelimit-reset-requests': '1.3s',
      'x-ratelimit-limit-tokens': '100000',
      'x-ratelimit-remaining-tokens': '41600',
      'x-ratelimit-reset-tokens': '35.04s',
    })
  })

  it('have the tightest of several limits, and never a value below zero', () => {
    const group: LimitStatus = { kind: 'requests', limit: 1_000, remaining: 3, resetMs: 12 }
    expect(format.writeLimitHeaders([requests, group, tokens, input, output], nowMs)).toEqual({
      'x-ratelimit-limit-requests': '1000',
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-reset-requests': '12ms',
      'x-ratelimit-limit-tokens': '8000',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '1m0.15s',
    })
  })

  it('are absent without a limit', () => {
    expect(format.writeLimitHeaders([], nowMs)).toEqual({})
  })
})

describe.each([messagesFormat, countTokensFormat])('rate limits of a caller of the format $id', (format) => {
  it('are those of requests and of each kind of tokens, with the moment when the full limit is available again', () => {
    expect(format.writeLimitHeaders([requests, tokens, input, output], nowMs)).toEqual({
      'anthropic-ratelimit-requests-limit': '60',
      'anthropic-ratelimit-requests-remaining': '58',
      'anthropic-ratelimit-requests-reset': '2026-11-23T04:00:02Z',
      'anthropic-ratelimit-tokens-limit': '8000',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '2026-11-23T04:01:01Z',
      'anthropic-ratelimit-input-tokens-limit': '80000',
      'anthropic-ratelimit-input-tokens-remaining': '12000',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-23T04:00:51Z',
      'anthropic-ratelimit-output-tokens-limit': '8000',
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-23T04:01:01Z',
    })
  })

  it('never exceed the limit, however they are rounded', () => {
    const odd: LimitStatus = { kind: 'tokens', limit: 10_600, remaining: 10_600, resetMs: 0 }
    expect(format.writeLimitHeaders([odd], nowMs)).toMatchObject({
      'anthropic-ratelimit-tokens-remaining': '10600',
      'anthropic-ratelimit-tokens-reset': '2026-11-23T04:00:01Z',
    })
  })
})

describe('a duration in Go’s notation', () => {
  it.each([
    [0, '0s'],
    [0.2, '1ms'],
    [12, '12ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [360_000, '6m0s'],
    [3_600_000, '1h0m0s'],
    [90_061_005, '25h1m1.005s'],
  ])('of %d ms is %s', (durationMs, text) => {
    expect(writeGoDuration(durationMs)).toBe(text)
  })

  it('is read back exactly, in whole milliseconds', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 9), (durationMs) => {
        const unit = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const
        let total = 0
        for (const [, number, name = 's'] of writeGoDuration(durationMs).matchAll(/([\d.]+)(ms|h|m|s)/g))
          total += Number(number) * unit[name as keyof typeof unit]
        expect(Math.round(total)).toBe(durationMs)
      }),
    )
  })
})
