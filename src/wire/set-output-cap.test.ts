import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import { chatFormat } from './chat/format.ts'
import { completionsFormat } from './completions/format.ts'
import { type Dialect, defaultDialect } from './dialect.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'
import type { CapChange, ConversationFormat } from './wire-format.ts'

const terms = { model: 'm', isStream: false }

interface Capped extends CapChange {
  readonly text: string
}

function cap(
  format: ConversationFormat,
  text: string,
  tokens: number,
  dialect: Partial<Dialect> = {},
): Capped {
  const scanned = format.scanRequest(BodyBytes.from([Buffer.from(text)]), terms)
  const change = format.setOutputCap(scanned, { tokens, dialect: { ...defaultDialect, ...dialect } })
  const { model } = scanned
  const parts = format.spliceRequest(scanned, { model, askForUsage: false, capEdits: change.edits })
  return { ...change, text: Buffer.concat(parts).toString() }
}

/** A body with marks where caps stand; each mark holds the caller's number. */
interface Shape {
  readonly format: ConversationFormat
  /** Members of the body besides those that are made up. */
  readonly members: readonly string[]
}

const mark = /«(\d+)»/g

const shapes: Readonly<Record<string, Shape>> = {
  chat: { format: chatFormat, members: ['"model":"m"', '"messages":[{}]', '"max_tokens" : «900»'] },
  'chat with both names': {
    format: chatFormat,
    members: ['"model":"m"', '"messages":[{}]', '"max_tokens":«900»', '"max_completion_tokens":«800»'],
  },
  completions: { format: completionsFormat, members: ['"model":"m"', '"prompt":"Hi"', '"max_tokens":«900»'] },
  responses: {
    format: responsesFormat,
    members: ['"model":"m"', '"input":"Hi"', '"max_output_tokens":«900»'],
  },
  messages: { format: messagesFormat, members: ['"model":"m"', '"messages":[{}]', '"max_tokens":\n«900»'] },
  gemini: {
    format: geminiFormat,
    members: [
      '"contents":[]',
      '"generationConfig":{"topK":1, "maxOutputTokens": «900» ,"a":{"maxOutputTokens":9}}',
    ],
  },
  'gemini in snake case': {
    format: geminiFormat,
    members: ['"contents":[]', '"generation_config":{"max_output_tokens":«900»}'],
  },
}

const blank = fc.constantFrom('', ' ', '\n\t', '  ')
const extra = fc
  .tuple(fc.stringMatching(/^x_[a-z]{1,6}$/), fc.jsonValue())
  .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
const extras = fc.uniqueArray(extra, { maxLength: 5, selector: (text) => text.split(':')[0] })

describe.each(Object.entries(shapes))('the output cap of %s', (_, { format, members }) => {
  it('is lowered, and every other byte stays', () => {
    const order = extras.chain((more) => {
      const all = [...members, ...more]
      return fc.tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.infiniteStream(blank))
    })
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 1_000 }), ([shuffled, blanks], tokens) => {
        const space = () => blanks.next().value ?? ''
        const text = `{${shuffled.map((member) => space() + member + space()).join(',')}}`
        const given = text.replaceAll(mark, '$1')
        const expected = text.replaceAll(mark, (_all, number) => `${Math.min(Number(number), tokens)}`)
        expect(cap(format, given, tokens).text).toBe(expected)
      }),
      { numRuns: 300 },
    )
  })
})

describe('an output cap that the caller did not send', () => {
  it.each([
    ['chat', chatFormat, '{"model":"m","messages":[{}]}', '{"max_tokens":50,"model":"m","messages":[{}]}'],
    [
      'null',
      chatFormat,
      '{"model":"m","messages":[{}],"max_tokens":null}',
      '{"model":"m","messages":[{}],"max_tokens":50}',
    ],
    [
      'a text',
      chatFormat,
      '{"model":"m","messages":[{}],"max_tokens":"9"}',
      '{"model":"m","messages":[{}],"max_tokens":50}',
    ],
    [
      'no limit',
      chatFormat,
      '{"model":"m","messages":[{}],"max_tokens":-1}',
      '{"model":"m","messages":[{}],"max_tokens":50}',
    ],
    ['completions', completionsFormat, '{"model":"m"}', '{"max_tokens":50,"model":"m"}'],
    [
      'responses',
      responsesFormat,
      '{"model":"m","input":"a"}',
      '{"max_output_tokens":50,"model":"m","input":"a"}',
    ],
    ['gemini', geminiFormat, '{"contents":[]}', '{"generationConfig":{"maxOutputTokens":50},"contents":[]}'],
    [
      'an empty config',
      geminiFormat,
      '{"contents":[],"generation_config":{}}',
      '{"contents":[],"generation_config":{"maxOutputTokens":50}}',
    ],
    [
      'no config',
      geminiFormat,
      '{"contents":[],"generationConfig":null}',
      '{"contents":[],"generationConfig":{"maxOutputTokens":50}}',
    ],
    [
      'another setting',
      geminiFormat,
      '{"contents":[],"generationConfig":{"topK":1}}',
      '{"contents":[],"generationConfig":{"maxOutputTokens":50,"topK":1}}',
    ],
  ])('is set: %s', (_, format, given, expected) => {
    expect(cap(format, given, 50).text).toBe(expected)
  })

  it('has the field name of the model', () => {
    const given = '{"model":"m","messages":[{}]}'
    const { text } = cap(chatFormat, given, 50, { maxTokensField: 'max_completion_tokens' })
    expect(text).toBe('{"max_completion_tokens":50,"model":"m","messages":[{}]}')
  })

  it('is not set when the model’s own limit is as low', () => {
    const given = '{"model":"m","messages":[{}]}'
    expect(cap(chatFormat, given, 50, { maxOutputTokens: 50 }).text).toBe(given)
    expect(cap(geminiFormat, '{"contents":[]}', 50, { maxOutputTokens: 40 }).text).toBe('{"contents":[]}')
  })
})

it('a cap of zero, which fills a cache or measures a prompt, stays', () => {
  const filling = '{"model":"m","max_tokens":0,"messages":[{}]}'
  const measuring = '{"model":"m","max_tokens":0,"prompt":"a"}'
  expect(cap(messagesFormat, filling, 50).text).toBe(filling)
  expect(cap(completionsFormat, measuring, 50).text).toBe(measuring)
})

it('an edit replaces the model and adds a cap before it in one body', () => {
  const scanned = chatFormat.scanRequest(BodyBytes.from([Buffer.from('{"model":"m","messages":[{}]}')]))
  const { edits } = chatFormat.setOutputCap(scanned, { tokens: 5, dialect: defaultDialect })
  const shape = { modelReplacement: { version: '1' }, isStreamInPath: true }
  const parts = messagesFormat.spliceRequest(scanned, {
    model: 'up',
    askForUsage: false,
    shape,
    capEdits: edits,
  })
  expect(Buffer.concat(parts).toString()).toBe('{"max_tokens":5,"version":"1","messages":[{}]}')
})

const thinking = (budget: number, maxTokens: number) =>
  `{"model":"m","messages":[{}],"thinking":{"type":"enabled","budget_tokens":${budget}},"max_tokens":${maxTokens}}`

describe('the thinking budget of a messages request', () => {
  it('retains its share of the cap', () => {
    expect(cap(messagesFormat, thinking(16_000, 32_000), 8_000)).toMatchObject({
      text: thinking(4_000, 8_000),
      losses: [],
    })
  })

  it('is at least the provider’s minimum', () => {
    expect(cap(messagesFormat, thinking(1_024, 32_000), 1_025).text).toBe(thinking(1_024, 1_025))
  })

  it('is dropped for the answer when there is no room for both, and that is declared', () => {
    const { text, losses } = cap(messagesFormat, thinking(2_000, 3_000), 1_024)
    expect(text).toBe('{"model":"m","messages":[{}],"thinking":{"type":"disabled"},"max_tokens":1024}')
    expect(losses).toEqual([{ feature: 'thinking-mode', kind: 'dropped' }])
  })

  it('stays unchanged when the cap is low enough', () => {
    expect(cap(messagesFormat, thinking(2_000, 3_000), 3_000).text).toBe(thinking(2_000, 3_000))
  })

  it('stays below the cap and above the minimum, or is absent, for any numbers', () => {
    const numbers = fc.tuple(fc.integer({ min: 1_024, max: 200_000 }), fc.integer({ min: 1, max: 100_000 }))
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 300_000 }), ([budget, beside], tokens) => {
        const { max_tokens: max, thinking: set } = JSON.parse(
          cap(messagesFormat, thinking(budget, budget + beside), tokens).text,
        )
        expect(max).toBe(Math.min(tokens, budget + beside))
        if (set.type === 'disabled') expect(max).toBeLessThanOrEqual(1_024)
        else
          expect(1_024 <= set.budget_tokens && set.budget_tokens < max && set.budget_tokens <= budget).toBe(
            true,
          )
      }),
    )
  })

  it('may exceed the cap if the caller’s budget does, as between tool calls', () => {
    expect(cap(messagesFormat, thinking(20_000, 10_000), 5_000).text).toBe(thinking(10_000, 5_000))
  })
})

it.each([
  [
    'gemini',
    geminiFormat,
    '{"contents":[],"generationConfig":{"maxOutputTokens":8000,"thinkingConfig":{"thinkingBudget":4000,"includeThoughts":true}}}',
    '{"contents":[],"generationConfig":{"maxOutputTokens":4000,"thinkingConfig":{"thinkingBudget":2000,"includeThoughts":true}}}',
  ],
  [
    'gemini that thinks as it likes',
    geminiFormat,
    '{"contents":[],"generationConfig":{"maxOutputTokens":8000,"thinkingConfig":{"thinking_budget":-1}}}',
    '{"contents":[],"generationConfig":{"maxOutputTokens":4000,"thinkingConfig":{"thinking_budget":-1}}}',
  ],
  [
    'qwen',
    chatFormat,
    '{"model":"m","messages":[{}],"max_tokens":8000,"thinking_budget":6000}',
    '{"model":"m","messages":[{}],"max_tokens":4000,"thinking_budget":3000}',
  ],
  [
    'openrouter, of a cap that was not sent',
    chatFormat,
    '{"model":"m","messages":[{}],"reasoning":{"max_tokens":6000}}',
    '{"max_tokens":4000,"model":"m","messages":[{}],"reasoning":{"max_tokens":3200}}',
  ],
])('the thinking budget of %s is lowered with the cap', (_, format, given, expected) => {
  expect(cap(format, given, 4_000).text).toBe(expected)
})
