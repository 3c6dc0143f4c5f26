import { describe, expect, it } from 'vitest'
import type { Failure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createSseParser, type SseFrame } from '../../kit/sse/sse-parser.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

const data = (chunk: JsonObject) => `data: ${JSON.stringify(chunk)}\n\n`
const says = (delta: JsonObject, more: JsonObject = {}) =>
  data({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })
const ends = (reason: string, more: JsonObject = {}) =>
  data({ id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: reason }], ...more })
const DONE = 'data: [DONE]\n\n'
const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
const counted = { freshInputTokens: 9, outputTokens: 4 }

function framesOf(text: string): readonly SseFrame[] {
  const parser = createSseParser()
  const frames = [...parser.push(Buffer.from(text))]
  const last = parser.end()
  return last === undefined ? frames : [...frames, last]
}

function read(...text: string[]): Reply | Failure {
  const reader = createStreamReader()
  const events = framesOf(text.join('')).flatMap((frame) => reader.push(frame))
  return foldReply([...events, ...reader.end()])
}

/** The view that the verbatim lane has of the same stream. */
function watch(...text: string[]) {
  const watcher = createStreamWatcher()
  const failures = framesOf(text.join('')).map((frame) => watcher.inspect(frame).failure?.code)
  const { hasStopReason: finished, isTerminated: terminated } = watcher
  return { finished, terminated, usage: watcher.usage, failure: failures.find((code) => code !== undefined) }
}

describe('the usage of a vendor', () => {
  it.each<[string, readonly string[]]>([
    ['in a chunk of its own (OpenAI and most)', [ends('stop'), data({ id: 'c', choices: [], usage }), DONE]],
    ['in the last chunk, unasked (Mistral, xAI, DeepSeek, Z.ai)', [ends('stop', { usage }), DONE]],
    ['in x_groq (Groq)', [ends('stop', { x_groq: { id: 'r', usage } }), DONE]],
    [
      'in the choice (Moonshot)',
      [data({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }), DONE],
    ],
    [
      'in every chunk, growing (Perplexity)',
      [
        says({ content: '' }, { usage: { ...usage, completion_tokens: 1, total_tokens: 10 } }),
        ends('stop', { usage }),
      ],
    ],
    [
      'beside empty choices and the price (OpenRouter)',
      [ends('stop'), data({ id: 'c', choices: [], usage: { ...usage, cost: 0.0001, is_byok: false } }), DONE],
    ],
  ])('is read %s', (_place, rest) => {
    const text = [says({ role: 'assistant', content: 'Hi' }), ...rest]
    expect(read(...text)).toMatchObject({ usage: counted })
    expect(watch(...text)).toMatchObject({ usage: counted, finished: true })
  })

  it.each<[string, JsonObject, JsonObject]>([
    [
      'hits apart (DeepSeek)',
      { prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 3 },
      { cacheReadTokens: 6, freshInputTokens: 3 },
    ],
    ['cached_tokens at the top (Moonshot)', { cached_tokens: 6 }, { cacheReadTokens: 6 }],
    ['num_cached_tokens (Mistral)', { num_cached_tokens: 6 }, { cacheReadTokens: 6 }],
    [
      'reasoning beside the completion (xAI)',
      { total_tokens: 20, completion_tokens_details: { reasoning_tokens: 7 } },
      { outputTokens: 11, reasoningTokens: 7 },
    ],
    ['searches (Perplexity)', { num_search_queries: 2 }, { toolCalls: { web_search: 2 } }],
  ])('is read with %s', (_what, more, expected) => {
    const body = {
      choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
      usage: { ...usage, ...more },
    }
    expect(readReply(body)).toMatchObject({ usage: expected })
    expect(watchReply(body)).toMatchObject({ usage: expected })
  })
})

describe('the reasoning of a vendor', () => {
  it.each<[string, readonly JsonObject[]]>([
    [
      'reasoning_content (DeepSeek, xAI, Z.ai, Moonshot, Qwen, llama.cpp)',
      [{ reasoning_content: 'Hm.', content: null }],
    ],
    ['reasoning (Groq with its channel, Cerebras, Together)', [{ reasoning: 'Hm.', channel: 'analysis' }]],
    [
      'reasoning beside its details (OpenRouter)',
      [
        {
          content: '',
          reasoning: 'Hm.',
          reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', format: 'unknown', index: 0 }],
        },
      ],
    ],
    [
      'details alone (MiniMax)',
      [{ role: '', reasoning_details: [{ type: 'reasoning.text', id: 'r', index: 0, text: 'Hm.' }] }],
    ],
    [
      'parts of the content (Mistral)',
      [
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'H' }] }] },
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'm.' }], closed: true }] },
      ],
    ],
  ])('is read from %s', (_name, deltas) => {
    const text = [...deltas.map((delta) => says(delta)), says({ content: 'Hi' }), ends('stop'), DONE]
    expect(read(...text)).toMatchObject({
      choices: [
        {
          content: [
            { type: 'thinking', text: 'Hm.' },
            { type: 'text', text: 'Hi' },
          ],
        },
      ],
    })
  })
})

describe('the end of a vendor’s answer', () => {
  it.each([
    ['eos', 'end'],
    ['model_length', 'length'],
    ['model_context_window_exceeded', 'context-window'],
    ['sensitive', 'content-filter'],
    ['content_filter', 'content-filter'],
  ])('with the finish reason %s means %s', (word, stopReason) => {
    expect(read(says({ content: 'Hi' }), ends(word), DONE)).toMatchObject({ choices: [{ stopReason }] })
  })

  it('is not marked by an empty finish reason in every chunk', () => {
    const chunk = data({ id: 'c', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: '' }] })
    expect(read(chunk, ends('stop'), DONE)).toMatchObject({ choices: [{ stopReason: 'end' }] })
    expect(watch(chunk)).toMatchObject({ finished: false })
  })

  it.each([
    ['error', 'upstream_error'],
    ['network_error', 'upstream_error'],
    ['abort', 'upstream_error'],
    ['insufficient_system_resource', 'upstream_overloaded'],
  ])('with the finish reason %s is a failure', (word, code) => {
    const text = [says({ content: 'Hal' }), ends(word), DONE]
    expect(read(...text)).toMatchObject({ code })
    expect(watch(...text)).toMatchObject({ failure: code, finished: false })
    const whole = { choices: [{ message: { content: 'Hal' }, finish_reason: word }] }
    expect(readReply(whole)).toMatchObject({ code })
    expect(watchReply(whole)).toMatchObject({ failure: { code } })
  })

  it('needs no terminator after a finish reason (Perplexity), nor a repeated message', () => {
    const last = data({
      id: 'c',
      object: 'chat.completion.done',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi' },
          delta: { role: 'assistant', content: '' },
          finish_reason: 'stop',
        },
      ],
      citations: ['https://example.com'],
    })
    expect(read(says({ content: 'Hi' }), last)).toMatchObject({ choices: [{ content: [{ text: 'Hi' }] }] })
    expect(watch(says({ content: 'Hi' }), last)).toMatchObject({ finished: true, terminated: false })
  })
})

describe('extra data beside the answer', () => {
  it('in comments is ignored (OpenRouter)', () => {
    const text = [
      ': OPENROUTER PROCESSING\n\n',
      says({ content: 'Hi' }),
      ': OPENROUTER PROCESSING\n\n',
      ends('stop'),
      DONE,
    ]
    expect(read(...text)).toMatchObject({ choices: [{ content: [{ text: 'Hi' }] }] })
    expect(watch(...text)).toMatchObject({ failure: undefined, terminated: true })
  })

  it('in a first chunk without choices holds the filter results (Azure)', () => {
    const first = data({
      id: '',
      model: '',
      object: '',
      created: 0,
      choices: [],
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
    })
    const filtered = data({
      id: '',
      choices: [{ index: 0, finish_reason: null, content_filter_offsets: {}, content_filter_results: {} }],
    })
    const text = [first, says({ content: 'Hi' }), filtered, ends('stop'), DONE]
    expect(read(...text)).toMatchObject({ id: 'c', model: 'm', choices: [{ content: [{ text: 'Hi' }] }] })
    expect(watch(...text)).toMatchObject({ finished: true, failure: undefined })
  })

  it.each<[string, JsonObject]>([
    ['timings (llama.cpp)', { timings: { prompt_n: 1 } }],
    ['time_info (Cerebras)', { time_info: { queue_time: 0.1 } }],
    ['an empty prompt (Together)', { prompt: [] }],
    ['padding (Mistral)', { p: 'abcdefgh' }],
  ])('is ignored: %s', (_name, more) => {
    expect(read(says({ content: 'Hi' }, more), ends('stop', more), DONE)).toMatchObject({
      choices: [{ content: [{ text: 'Hi' }] }],
    })
  })
})
