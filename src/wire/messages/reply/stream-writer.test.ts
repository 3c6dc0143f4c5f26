import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { createFailure } from '../../../canonical/failure.ts'
import type { BlockStart, ReplyEvent } from '../../../canonical/reply-event.ts'
import { noUsage } from '../../../canonical/usage.ts'
import { createStreamWriter } from './stream-writer.ts'

const start: ReplyEvent = { type: 'reply-start', id: 'r1', model: 'm1' }
const end: ReplyEvent = { type: 'reply-end' }
const open = (block: number, kind: BlockStart): ReplyEvent => ({
  type: 'block-start',
  choice: 0,
  block,
  start: kind,
})

const close = (block: number): ReplyEvent => ({ type: 'block-end', choice: 0, block })
const text = (block: number, words: string): ReplyEvent => ({
  type: 'text-delta',
  choice: 0,
  block,
  text: words,
})

const input = (block: number, json: string): ReplyEvent => ({
  type: 'tool-input-delta',
  choice: 0,
  block,
  text: json,
})

const call = (id: string, kind: 'function' | 'custom' = 'function'): BlockStart => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind,
})

const stopped = (stopReason: 'end' | 'tool-calls' | 'content-filter' | 'length'): ReplyEvent => ({
  type: 'choice-end',
  choice: 0,
  stopReason,
})

function write(events: readonly ReplyEvent[]) {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'r9' })
  const pieces = events.map((event) => writer.push(event))
  return { text: pieces.join(''), pieces, losses: writer.losses }
}

/** The data of each frame, whose event line must name its type. */
function framesOf(stream: string): readonly Record<string, unknown>[] {
  return stream
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [event = '', data = ''] = frame.split('\n')
      const parsed = JSON.parse(data.slice('data: '.length))
      expect(event).toBe(`event: ${parsed.type}`)
      return parsed
    })
}

async function readByOfficialClient(sse: string) {
  const client = new Anthropic({
    apiKey: 'unused',
    baseURL: 'http://unused.invalid',
    maxRetries: 0,
    fetch: async () => new Response(sse, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  return client.messages.stream({ model: 'm', max_tokens: 16, messages }).finalMessage()
}

describe('createStreamWriter', () => {
  it('writes a whole stream, with zeros at its start and the usage at its end', () => {
    const usage = { ...noUsage, freshInputTokens: 5, cacheReadTokens: 2, outputTokens: 3, reasoningTokens: 1 }
    const { text: stream, losses } = write([
      start,
      open(0, { type: 'text' }),
      text(0, 'Hi'),
      close(0),
      stopped('end'),
      { type: 'usage', usage },
      end,
    ])
    expect(losses).toEqual([])
    expect(framesOf(stream)).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'r1',
          type: 'message',
          role: 'assistant',
          model: 'm1',
          container: null,
          diagnostics: null,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          stop_details: null,
          usage: {
            input_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 0,
            cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
            output_tokens_details: null,
            server_tool_use: null,
            service_tier: null,
            inference_geo: null,
            speed: null,
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
        usage: {
          input_tokens: 5,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 2,
          output_tokens: 3,
          output_tokens_details: { thinking_tokens: 1 },
          server_tool_use: null,
        },
      },
      { type: 'message_stop' },
    ])
  })

  it('writes parallel calls one after the other, and holds back the deltas of later ones', async () => {
    const { text: stream, pieces } = write([
      start,
      open(0, call('a')),
      input(0, '{"x":'),
      open(1, call('b')),
      input(1, '{"y":2}'),
      open(2, call('c')),
      input(0, '1}'),
      close(1),
      close(0),
      input(2, '{"z":3}'),
      stopped('tool-calls'),
      end,
    ])
    // Nothing of the second call goes out while the first is open.
    expect(pieces.slice(3, 6)).toEqual(['', '', ''])
    const indexes = framesOf(stream).map(({ type, index }) => `${type} ${index}`)
    expect(indexes.filter((line) => !line.endsWith('undefined'))).toEqual([
      'content_block_start 0',
      'content_block_delta 0',
      'content_block_delta 0',
      'content_block_stop 0',
      'content_block_start 1',
      'content_block_delta 1',
      'content_block_stop 1',
      'content_block_start 2',
      'content_block_delta 2',
      'content_block_stop 2',
    ])
    const message = await readByOfficialClient(stream)
    expect(message.stop_reason).toBe('tool_use')
    expect(message.content).toMatchObject([
      { type: 'tool_use', id: 'a', input: { x: 1 } },
      { type: 'tool_use', id: 'b', input: { y: 2 } },
      { type: 'tool_use', id: 'c', input: { z: 3 } },
    ])
  })

  it('writes the free text of a custom tool as JSON, for any split of its characters', async () => {
    const words = 'say "hi"\n👋'
    const cut = words.length - 1
    const { text: stream, losses } = write([
      start,
      open(0, call('a', 'custom')),
      input(0, words.slice(0, cut)),
      input(0, words.slice(cut)),
      close(0),
      stopped('tool-calls'),
      end,
    ])
    expect((await readByOfficialClient(stream)).content).toMatchObject([{ input: { input: words } }])
    expect(losses).toContainEqual({ feature: 'custom-tool', kind: 'approximated' })
  })

  it('marks unsigned thinking, and writes a signature once at its end', async () => {
    const { text: stream } = write([
      start,
      open(0, { type: 'thinking' }),
      text(0, 'hm'),
      close(0),
      open(1, { type: 'thinking' }),
      { type: 'signature-delta', choice: 0, block: 1, signature: 'si' },
      { type: 'signature-delta', choice: 0, block: 1, signature: 'g' },
      close(1),
      stopped('end'),
      end,
    ])
    expect((await readByOfficialClient(stream)).content).toMatchObject([
      { type: 'thinking', thinking: 'hm', signature: '~headgate.2.unsigned' },
      { type: 'thinking', thinking: '', signature: 'sig' },
    ])
  })

  it('ends in tool_use when there are calls, since callers run tools only then', () => {
    const { text: stream, losses } = write([start, open(0, call('a')), close(0), stopped('end'), end])
    expect(framesOf(stream).at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
    expect(losses).toContainEqual({ feature: 'stop-reason', kind: 'approximated' })
    const cut = write([start, open(0, call('a')), close(0), stopped('length'), end])
    expect(framesOf(cut.text).at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } })
  })

  it('writes a refusal as text with the stop reason refusal', () => {
    const { text: stream } = write([
      start,
      open(0, { type: 'refusal' }),
      text(0, 'No.'),
      close(0),
      stopped('end'),
      end,
    ])
    expect(framesOf(stream).slice(1, 3)).toMatchObject([
      { content_block: { type: 'text' } },
      { delta: { type: 'text_delta', text: 'No.' } },
    ])
    expect(framesOf(stream).at(-2)).toMatchObject({ delta: { stop_reason: 'refusal' } })
  })

  it('writes texts in the order of their starts, and none that stays empty', () => {
    const texts: BlockStart = { type: 'text' }
    const { text: stream } = write([
      start,
      open(0, texts),
      open(1, texts),
      open(2, texts),
      text(2, 'last'),
      text(0, 'first'),
      close(1),
      close(2),
      close(0),
      stopped('end'),
      end,
    ])
    const deltas = framesOf(stream).filter(({ type }) => type === 'content_block_delta')
    expect(deltas).toMatchObject([
      { index: 0, delta: { text: 'first' } },
      { index: 1, delta: { text: 'last' } },
    ])
    expect(framesOf(stream).filter(({ type }) => type === 'content_block_start')).toHaveLength(2)
  })

  it('writes spoken words as text, and names content that it cannot write', () => {
    const { text: stream, losses } = write([
      start,
      open(0, { type: 'audio', id: 'a1' }),
      { type: 'audio-delta', choice: 0, block: 0, data: 'AAAA' },
      { type: 'audio-delta', choice: 0, block: 0, transcript: 'Hello' },
      close(0),
      open(1, { type: 'image', source: { type: 'url', url: 'u' } }),
      close(1),
      open(2, { type: 'audio' }),
      close(2),
      { type: 'block-start', choice: 1, block: 0, start: { type: 'text' } },
      { type: 'logprobs-delta', choice: 0, logprobs: { content: [] } },
      stopped('end'),
      { type: 'usage', usage: noUsage },
      end,
    ])
    const shown = framesOf(stream).flatMap(({ index, delta }) => (index === undefined ? [] : [delta]))
    expect(shown).toEqual([undefined, { type: 'text_delta', text: 'Hello' }, undefined])
    expect(losses.map(({ feature, kind }) => `${feature} ${kind}`)).toEqual([
      'audio approximated',
      'image dropped',
      'audio dropped',
      'choices dropped',
      'logprobs dropped',
    ])
  })

  it('ends in an error event, and in nothing else, when the answer fails', () => {
    const failure = createFailure('upstream_disconnected')
    const { text: stream } = write([
      start,
      open(0, { type: 'text' }),
      text(0, 'Hi'),
      { type: 'failure', failure },
      end,
    ])
    const frames = framesOf(stream)
    expect(frames.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'api_error', code: 'upstream_disconnected' },
      request_id: 'r9',
    })
    expect(frames.map(({ type }) => type)).not.toContain('message_stop')
  })
})
