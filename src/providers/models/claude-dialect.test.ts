import { describe, expect, it } from 'vitest'
import { anthropic } from '../vendors/anthropic.ts'
import { claudeDialect } from './claude-dialect.ts'

describe('the Claude dialect', () => {
  it.each([
    ['claude-3-haiku-20240307', 4096, 4096],
    ['claude-3-5-haiku-latest', 8192, 8192],
    ['claude-3-5-sonnet-20241022', 8192, 8192],
    ['claude-3-7-sonnet-20250219', 64_000, 32_000],
    ['claude-sonnet-4-20250514', 64_000, 32_000],
    ['claude-sonnet-4-0', 64_000, 32_000],
    ['claude-opus-4-1-20250805', 32_000, 32_000],
    ['claude-opus-4-5-20251101', 64_000, 64_000],
    ['anthropic/claude-sonnet-4.5', 64_000, 64_000],
    ['claude-haiku-4-5-20251001', 64_000, 64_000],
    ['us.anthropic.claude-opus-4-6-v1', 128_000, 128_000],
    ['claude-opus-5-5', 128_000, 128_000],
    ['claude-haiku-5-5', 128_000, 128_000],
  ])('knows the output limit of %s and the default to request', (model, cap, asked) => {
    const dialect = anthropic.dialect(model)
    expect(dialect.messagesModel?.maxOutputTokens).toBe(cap)
    expect(dialect.defaultMaxTokens).toBe(asked)
  })

  it.each([
    ['claude-3-5-sonnet-20241022', [], 0, 'both'],
    ['claude-sonnet-4-20250514', ['enabled', 'disabled'], 0, 'both'],
    ['claude-opus-4-1', ['enabled', 'disabled'], 0, 'one'],
    ['claude-opus-4-5', ['enabled', 'disabled'], 3, 'one'],
    ['claude-haiku-4-5', ['enabled', 'disabled'], 0, 'one'],
    ['claude-sonnet-4-6', ['adaptive', 'enabled', 'disabled'], 4, 'one'],
    ['claude-opus-4-8', ['adaptive'], 5, 'none'],
    ['claude-opus-5', ['adaptive', 'disabled'], 5, 'none'],
    ['claude-fable-5', ['adaptive'], 5, 'none'],
    ['claude-opus-5-5', ['adaptive'], 5, 'none'],
    ['claude-sonnet-5-5', ['adaptive', 'between_tools'], 5, 'none'],
    ['claude-haiku-5-5', ['adaptive', 'disabled'], 5, 'none'],
  ])(
    'knows the thinking modes and sampling parameters of %s',
    (model, thinkingTypes, effortCount, sampling) => {
      const known = claudeDialect(model)?.messagesModel
      expect(known).toMatchObject({ thinkingTypes, sampling })
      expect(known?.efforts).toHaveLength(effortCount)
    },
  )

  it.each([
    ['claude-sonnet-4-5', { forcedTools: true, prefill: true, systemMessages: false }, true],
    ['claude-sonnet-4-20250514', { forcedTools: true, prefill: true, systemMessages: false }, false],
    ['claude-sonnet-4-6', { forcedTools: true, prefill: false, systemMessages: false }, true],
    ['claude-sonnet-5', { forcedTools: true, prefill: false, systemMessages: true }, true],
    ['claude-fable-5-1', { forcedTools: false, prefill: false, systemMessages: true }, true],
    ['claude-sonnet-5-5', { forcedTools: false, prefill: false, systemMessages: true }, true],
    ['claude-haiku-5-5', { forcedTools: true, prefill: false, systemMessages: true }, true],
  ])('knows the other features of %s', (model, accepts, jsonSchema) => {
    expect(claudeDialect(model)).toMatchObject({ jsonSchema, messagesModel: accepts })
  })

  it("returns undefined for a name without a version and for other vendors' models", () => {
    for (const model of ['claude-mythos-preview', 'kimi-k2', 'm'])
      expect(claudeDialect(model)).toBeUndefined()
  })
})
