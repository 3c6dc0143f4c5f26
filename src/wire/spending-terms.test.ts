import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../canonical/failure.ts'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { CallerFormat } from './caller-format.ts'
import { chatFormat } from './chat/format.ts'
import { completionsFormat } from './completions/format.ts'
import { embeddingsFormat } from './embeddings/format.ts'
import { geminiCountTokensFormat } from './gemini/count-tokens-format.ts'
import { batchEmbedContentsFormat } from './gemini/embeddings/batch-embed-contents-format.ts'
import { embedContentFormat } from './gemini/embeddings/embed-content-format.ts'
import { geminiFormat } from './gemini/format.ts'
import { countTokensFormat } from './messages/count-tokens/count-tokens-format.ts'
import { messagesFormat } from './messages/format.ts'
import { ollamaChatFormat } from './ollama/format.ts'
import { responsesFormat } from './responses/format.ts'
import { inputTokensOperation } from './responses/verbatim/side-operations.ts'
import type { SpendingTerms } from './spending-terms.ts'

const terms = { model: 'm', isStream: false }

function readText(format: CallerFormat, text: string): SpendingTerms {
  return format.readSpendingTerms(format.scanRequest(BodyBytes.from([Buffer.from(text)]), terms))
}

function read(format: CallerFormat, fields: JsonObject): SpendingTerms {
  return readText(format, JSON.stringify(fields))
}

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const chat = (fields: JsonObject = {}) => read(chatFormat, { model: 'm', messages, ...fields })
const completions = (fields: JsonObject = {}) =>
  read(completionsFormat, { model: 'm', prompt: 'Hi', ...fields })
const responses = (fields: JsonObject = {}) => read(responsesFormat, { model: 'm', input: 'Hi', ...fields })
const claude = (fields: JsonObject = {}) =>
  read(messagesFormat, { model: 'm', messages, max_tokens: 9, ...fields })
const ollama = (fields: JsonObject) => read(ollamaChatFormat, { model: 'm', messages, ...fields })
const gemini = (config: JsonObject = {}, fields: JsonObject = {}) =>
  read(geminiFormat, { contents, generationConfig: config, ...fields })

describe('the output cap', () => {
  it.each([
    ['chat', chat({ max_tokens: 7 }), 7],
    ['chat', chat({ max_completion_tokens: 8 }), 8],
    ['chat, the greater of both names', chat({ max_tokens: 7, max_completion_tokens: 8 }), 8],
    ['chat, one of them null', chat({ max_tokens: null, max_completion_tokens: 8 }), 8],
    ['completions', completions({ max_tokens: 7 }), 7],
    ['completions that only echo', completions({ max_tokens: 0 }), 0],
    ['responses', responses({ max_output_tokens: 7 }), 7],
    ['messages', claude(), 9],
    ['messages that only fill the cache', claude({ max_tokens: 0 }), 0],
    ['gemini', gemini({ maxOutputTokens: 7 }), 7],
    ['ollama', ollama({ options: { num_predict: 7 } }), 7],
    ['ollama without limit', ollama({ options: { num_predict: -1 } }), undefined],
    [
      'gemini in snake case',
      read(geminiFormat, { contents, generation_config: { max_output_tokens: 7 } }),
      7,
    ],
    ['a fraction, up', chat({ max_tokens: 7.2 }), 8],
    ['a huge one, bounded', chat({ max_tokens: 1e308 }), 1_000_000_000],
  ])('is read for %s', (_, { maxOutputTokens }, cap) => {
    expect(maxOutputTokens).toBe(cap)
  })

  it.each([
    ['none', {}],
    ['null', { max_tokens: null }],
    ['a text', { max_tokens: '7' }],
    ['less than one', { max_tokens: -1 }],
    ['nought, where an upstream may take it for no limit', { max_tokens: 0 }],
    ['one that does not cap beside another', { max_tokens: 5, max_completion_tokens: 'x' }],
  ])('is unknown for %s', (_, fields) => {
    expect(chat(fields).maxOutputTokens).toBeUndefined()
  })

  it.each([
    ['embeddings', read(embeddingsFormat, { model: 'm', input: 'Hi' })],
    ['embed-content', read(embedContentFormat, { content: contents[0] ?? null })],
    ['batch-embed-contents', read(batchEmbedContentsFormat, { requests: [] })],
    ['count-tokens', read(countTokensFormat, { model: 'm', messages })],
    ['gemini-count-tokens', read(geminiCountTokensFormat, { contents })],
    ['input_tokens', read(inputTokensOperation, { model: 'm', input: 'Hi' })],
  ])('of %s is zero', (_, { maxOutputTokens }) => {
    expect(maxOutputTokens).toBe(0)
  })
})

describe('the number of choices', () => {
  it.each([
    ['one by default', chat(), 1],
    ['n', chat({ n: 3 }), 3],
    ['best_of, which are generated', completions({ n: 2, best_of: 5 }), 5],
    ['those of each prompt', completions({ prompt: ['a', 'b', 'c'], n: 2 }), 6],
    ['one of a list of tokens', completions({ prompt: [1, 2, 3] }), 1],
    ['one for each list of tokens', completions({ prompt: [[1], [2]] }), 2],
    ['candidateCount', gemini({ candidateCount: 4 }), 4],
    ['a text that lax servers read', chat({ n: '3' }), 3],
    ['one of what is no number', chat({ n: 'x' }), 1],
    ['bounded', chat({ n: 1e300 }), 10_000],
  ])('is %s', (_, { choices }, count) => {
    expect(choices).toBe(count)
  })
})

describe('the possible service tiers of an answer', () => {
  it.each([
    ['nothing said', chat(), ['auto']],
    ['auto', responses({ service_tier: 'auto' }), ['auto']],
    ['default', chat({ service_tier: 'default' }), ['standard']],
    ['flex', chat({ service_tier: 'flex' }), ['flex', 'standard']],
    ['priority', responses({ service_tier: 'priority' }), ['priority', 'standard']],
    ['an unknown one', chat({ service_tier: 'x' }), [{ format: 'chat', word: 'x' }, 'standard']],
    ['auto of messages', claude({ service_tier: 'auto' }), ['auto']],
    ['standard_only', claude({ service_tier: 'standard_only' }), ['standard']],
    ['speed beside it', claude({ service_tier: 'standard_only', speed: 'fast' }), ['fast', 'standard']],
    ['the usual speed', claude({ speed: 'standard' }), ['auto']],
    ['gemini in capitals', gemini({}, { serviceTier: 'PRIORITY' }), ['priority', 'standard']],
  ])('follow from %s', (_, { serviceTiers }, tiers) => {
    expect(serviceTiers).toEqual(tiers)
  })
})

const schema = { type: 'object', properties: { type: { type: 'string' }, file: { type: 'string' } } }

describe('the tools that a provider runs', () => {
  it.each([
    [
      'functions of chat',
      chat({ tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }),
      [],
    ],
    [
      'functions of responses',
      responses({ tools: [{ type: 'function', name: 'f', parameters: schema }] }),
      [],
    ],
    [
      'client tools of messages',
      claude({
        tools: [
          { name: 'f', input_schema: schema },
          { type: 'bash_20250124', name: 'bash' },
        ],
      }),
      [],
    ],
    ['functions of gemini', gemini({}, { tools: [{ functionDeclarations: [{ name: 'f' }] }] }), []],
    [
      'web search of responses',
      responses({ tools: [{ type: 'web_search_preview_2025_03_11' }] }),
      ['web_search'],
    ],
    [
      'interpreter of responses',
      responses({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
      ['code_interpreter'],
    ],
    [
      'tools that an item adds',
      responses({ input: [{ type: 'additional_tools', tools: [] }] }),
      ['additional_tools'],
    ],
    [
      'web search of messages',
      claude({ tools: [{ type: 'web_search_20260318', name: 'web_search' }] }),
      ['web_search'],
    ],
    ['MCP servers of messages', claude({ mcp_servers: [] }), ['mcp']],
    ['search options of chat', chat({ web_search_options: {} }), ['web_search']],
    ['sources of xAI', chat({ search_parameters: { mode: 'auto' } }), ['num_sources_used']],
    [
      'search of gemini',
      gemini({}, { tools: [{ google_search: {} }, { codeExecution: {} }] }),
      ['web_search', 'codeExecution'],
    ],
  ])('are found: %s', (_, found, names) => {
    expect(found.billedTools().map(({ name }) => name)).toEqual(names)
  })

  it('have the limits of the request', () => {
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }
    expect(claude({ tools: [search] }).billedTools()).toEqual([{ name: 'web_search', maxCalls: 3 }])
    expect(responses({ max_tool_calls: 4 }).toolCallCap).toBe(4)
  })

  it('are found in the type of a tool in linear time, however long the type is', () => {
    const type = `${'_1'.repeat(50_000)}x`
    const before = process.cpuUsage()
    for (const found of [
      chat({ tools: [{ type }] }),
      claude({ tools: [{ type }] }),
      responses({ tools: [{ type }] }),
    ])
      expect(found.billedTools().map(({ name }) => name)).toEqual([type])
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000)
  })

  it('are found in escaped letters', () => {
    const hidden = '{"model":"m","input":"Hi","tools":[{"ty\\u0070e":"web_sea\\u0072ch"}]}'
    expect(readText(responsesFormat, hidden).billedTools()).toEqual([
      { name: 'web_search', maxCalls: undefined },
    ])
  })
})

describe('media in a body', () => {
  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
  it.each([
    ['chat', chat({ messages: [{ role: 'user', content: [image] }] })],
    ['a chat part without its type', chat({ messages: [{ role: 'user', content: [{ input_audio: {} }] }] })],
    ['responses', responses({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] })],
    ['messages', claude({ messages: [{ role: 'user', content: [{ type: 'document', source: {} }] }] })],
    ['gemini', gemini({}, { contents: [{ parts: [{ inline_data: { data: 'aGk=' } }] }] })],
    ['ollama', ollama({ messages: [{ role: 'user', images: ['aGk='] }] })],
    ['embed-content', read(embedContentFormat, { content: { parts: [{ fileData: {} }] } })],
    ['embeddings', read(embeddingsFormat, { model: 'm', input: [{ image: 'aGk=' }] })],
    ['hidden names', readText(geminiFormat, '{"contents":[{"parts":[{"inline\\u0044ata":{}}]}]}')],
  ])('are found in %s', (_, found) => {
    expect(found.hasMedia()).toBe(true)
  })

  const words = 'Send {"type":"image"} or \\u0041, {"inlineData": 1}, "image_url": 2'
  it.each([
    ['chat', chat({ messages: [{ role: 'user', content: words }] })],
    ['responses', responses({ input: words })],
    ['messages', claude({ messages: [{ role: 'user', content: words }] })],
    ['gemini', gemini({}, { contents: [{ parts: [{ text: words }] }] })],
    ['ollama', ollama({ messages: [{ role: 'user', content: '"images": ["a"]', images: [] }] })],
    ['embeddings', read(embeddingsFormat, { model: 'm', input: words })],
  ])('are not found in text about them: %s', (_, found) => {
    expect(found.hasMedia()).toBe(false)
  })

  it('are found for any split of the body into chunks', () => {
    const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [image] }] }))
    fc.assert(
      fc.property(fc.nat(body.length), (at) => {
        const scanned = chatFormat.scanRequest(BodyBytes.from([body.subarray(0, at), body.subarray(at)]))
        expect(chatFormat.readSpendingTerms(scanned).hasMedia()).toBe(true)
      }),
    )
  })
})

describe('stored input outside the body', () => {
  it.each([
    ['an earlier response', responses({ previous_response_id: 'r' })],
    ['a conversation', responses({ conversation: 'c' })],
    ['a stored prompt', responses({ prompt: { id: 'p' } })],
    ['an item by its id', responses({ input: [{ type: 'item_reference', id: 'i' }] })],
    ['a container', claude({ container: 'c' })],
    ['a cached text', gemini({}, { cached_content: 'cachedContents/1' })],
  ])('is recognised: %s', (_, found) => {
    expect(found.hasStoredInput()).toBe(true)
  })

  it('is not found in a plain request', () => {
    const plain = [chat(), completions(), responses({ previous_response_id: null }), claude(), gemini()]
    expect(plain.some((found) => found.hasStoredInput())).toBe(false)
  })
})

it('the cache lifetime of a request is found', () => {
  const marked = (ttl?: string) => {
    const mark = { type: 'ephemeral', ...(ttl !== undefined && { ttl }) }
    return claude({ system: [{ type: 'text', text: 'x', cache_control: mark }] }).cacheMarks()
  }
  expect([claude().cacheMarks(), marked(), marked('5m'), marked('1h')]).toEqual([
    'none',
    'short',
    'short',
    'long',
  ])
})

it('a background answer is recognised', () => {
  const isBackground = (format: CallerFormat, background: boolean) => {
    const body = Buffer.from(JSON.stringify({ model: 'm', input: 'hello', background }))
    return format.isBackground?.(format.scanRequest(BodyBytes.from([body]), terms))
  }
  expect([true, false].map((background) => isBackground(responsesFormat, background))).toEqual([true, false])
  expect(isBackground(inputTokensOperation, true)).toBe(false)
})

it('an audio answer is recognised', () => {
  expect(chat({ modalities: ['text', 'audio'] }).asksForAudio).toBe(true)
  expect(gemini({ responseModalities: ['AUDIO'] }).asksForAudio).toBe(true)
  expect(gemini({ responseModalities: ['TEXT'] }).asksForAudio).toBe(false)
})

describe('a field that affects the price', () => {
  it.each([
    ['{"contents":[],"generationConfig":{"maxOutputTokens":1,"maxOutputTokens":9}}', 'duplicate_field'],
    ['{"contents":[],"generationConfig":{"maxOutputTokens":1,"max_output_tokens":9}}', 'duplicate_field'],
    ['{"contents":[],"generationConfig":{"MaxOutputTokens":1}}', 'invalid_field'],
  ])('is refused when readers may differ: %s', (text, code) => {
    expect(() => readText(geminiFormat, text)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code }) }),
    )
  })

  it('never breaks the reader, whatever its value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const value = json as JsonObject[string] & object
        const found = [
          chat({
            max_tokens: value,
            n: value,
            modalities: value,
            tools: value,
            thinking: value,
            service_tier: value,
          }),
          completions({ max_tokens: value, best_of: value, prompt: value }),
          responses({ max_output_tokens: value, tools: value, reasoning: value, max_tool_calls: value }),
          claude({ max_tokens: value, thinking: value, tools: value, speed: value }),
          ...unlessDoubled(() =>
            read(geminiFormat, { contents, tools: value, serviceTier: value, generation_config: value }),
          ),
        ]
        for (const { maxOutputTokens = 0, choices, billedTools } of found) {
          expect(Number.isSafeInteger(maxOutputTokens * choices)).toBe(true)
          expect(billedTools()).toBeInstanceOf(Array)
        }
      }),
    )
  })
})

/** Gemini's names differ in more than case: any value may hold two names of one field, which is refused. */
function unlessDoubled(readTerms: () => SpendingTerms): readonly SpendingTerms[] {
  try {
    return [readTerms()]
  } catch (error) {
    if (error instanceof GatewayError && error.failure.code === 'duplicate_field') return []
    throw error
  }
}
