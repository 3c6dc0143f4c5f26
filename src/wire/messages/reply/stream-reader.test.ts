import { describe, expect, it } from 'vitest'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { createStreamReader } from './stream-reader.ts'

const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'm1', usage: { input_tokens: 9, output_tokens: 1 } },
}

const finish = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }
const stop = { type: 'message_stop' }
const text = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
const part = (index: number, delta: JsonValue) => ({ type: 'content_block_delta', index, delta })
const blockStop = (index: number) => ({ type: 'content_block_stop', index })

function frameOf(data: string, event?: string) {
  return { event, data, bytes: Buffer.alloc(0) }
}

/** Strings are data as they are; all else is written as JSON. */
function read(frames: readonly JsonValue[]): readonly ReplyEvent[] {
  const reader = createStreamReader()
  const events = frames.flatMap((frame) => {
    const name = isJsonObject(frame) && typeof frame['type'] === 'string' ? frame['type'] : undefined
    return reader.push(frameOf(typeof frame === 'string' ? frame : JSON.stringify(frame), name))
  })
  return [...events, ...reader.end()]
}

/** The code of the failure that ends the events. */
function failureOf(frames: readonly JsonValue[]): string | undefined {
  const last = read(frames).at(-1)
  return last?.type === 'failure' ? last.failure.code : undefined
}

const path = { choice: 0, block: 0 }

describe('createStreamReader', () => {
  it('reads text, and usage whose later counters replace the earlier ones', () => {
    const events = read([
      start,
      { type: 'ping' },
      text,
      part(0, { type: 'text_delta', text: 'Hel' }),
      part(0, { type: 'text_delta', text: 'lo' }),
      blockStop(0),
      { type: 'news_of_tomorrow', payload: 1 },
      finish,
      stop,
    ])
    expect(events.filter((event) => event.type !== 'usage')).toEqual([
      { type: 'reply-start', id: 'msg_1', model: 'm1' },
      { type: 'block-start', ...path, start: { type: 'text' } },
      { type: 'text-delta', ...path, text: 'Hel' },
      { type: 'text-delta', ...path, text: 'lo' },
      { type: 'block-end', ...path },
      { type: 'choice-end', choice: 0, stopReason: 'end' },
      { type: 'reply-end' },
    ])
    expect(events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))).toMatchObject([
      { freshInputTokens: 9, outputTokens: 1 },
      { freshInputTokens: 9, outputTokens: 7 },
    ])
  })

  it('emits the input of a call as it comes, and an empty object if none comes', () => {
    const call = (index: number) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: `t${index}`, name: 'f', input: {} },
    })
    const events = read([
      start,
      call(0),
      part(0, { type: 'input_json_delta', partial_json: '' }),
      part(0, { type: 'input_json_delta', partial_json: '{"a":' }),
      part(0, { type: 'input_json_delta', partial_json: '1}' }),
      blockStop(0),
      call(1),
      blockStop(1),
      finish,
      stop,
    ])
    const inputs = events.filter((event) => event.type === 'tool-input-delta')
    expect(inputs).toEqual([
      { type: 'tool-input-delta', ...path, text: '{"a":' },
      { type: 'tool-input-delta', ...path, text: '1}' },
      { type: 'tool-input-delta', choice: 0, block: 1, text: '{}' },
    ])
  })

  it('emits the provider’s own blocks whole, with the content of their deltas', () => {
    const server = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
    }
    const compaction = {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'compaction', content: null },
    }
    const events = read([
      start,
      server,
      part(0, { type: 'input_json_delta', partial_json: '{"query":' }),
      part(0, { type: 'input_json_delta', partial_json: '"q"}' }),
      blockStop(0),
      compaction,
      part(1, { type: 'compaction_delta', content: 'short', encrypted_content: 'e' }),
      blockStop(1),
      finish,
      stop,
    ])
    expect(events.flatMap((event) => (event.type === 'block-start' ? [event.start] : []))).toEqual([
      {
        type: 'opaque',
        format: 'messages',
        value: { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
      },
      {
        type: 'opaque',
        format: 'messages',
        value: { type: 'compaction', content: 'short', encrypted_content: 'e' },
      },
    ])
  })

  it('accepts a cut stream after its stop reason, and otherwise fails', () => {
    expect(read([start, text, finish]).slice(-3)).toEqual([
      { type: 'block-end', ...path },
      { type: 'choice-end', choice: 0, stopReason: 'end' },
      { type: 'reply-end' },
    ])
    expect(failureOf([start, text, blockStop(0)])).toBe('upstream_disconnected')
    expect(failureOf([])).toBe('upstream_disconnected')
  })

  it('accepts an end without a stop reason if the stream had content', () => {
    const said = part(0, { type: 'text_delta', text: 'Hi' })
    expect(read([start, text, said, stop]).slice(-2)).toEqual([
      { type: 'choice-end', choice: 0 },
      { type: 'reply-end' },
    ])
    expect(failureOf([start, stop])).toBe('upstream_empty')
    expect(failureOf([start, text, blockStop(0), stop])).toBe('upstream_empty')
  })

  it('ignores repeated events of a relay, and everything after the end', () => {
    const once = read([start, text, blockStop(0), finish, stop])
    expect(
      read([start, start, text, text, blockStop(0), blockStop(0), finish, stop, text, '{', '[DONE]']),
    ).toEqual(once)
  })

  const broken: Readonly<Record<string, readonly JsonValue[]>> = {
    'a frame that is not JSON': [start, '{"type":'],
    'a frame that is no object': [start, '5'],
    'a block before the start': [text],
    'a gap in the indexes': [start, { ...text, index: 1 }],
    'a part of a block that never began': [start, part(0, { type: 'text_delta', text: 'x' })],
    'a part of a block that ended': [start, text, blockStop(0), part(0, { type: 'text_delta', text: 'x' })],
    'a part that its block cannot have': [
      start,
      text,
      part(0, { type: 'input_json_delta', partial_json: '{' }),
    ],
    'a call without a name': [
      start,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a' } },
    ],
    'a block after the reason of the end': [start, finish, text],
    'the end of a block that never began': [start, blockStop(3)],
  }
  for (const [name, frames] of Object.entries(broken)) {
    it(`fails on ${name}`, () => {
      expect(failureOf([...frames, stop])).toBe('upstream_bad_response')
    })
  }

  const errors: readonly (readonly [string, string])[] = [
    ['overloaded_error', 'upstream_overloaded'],
    ['rate_limit_error', 'upstream_rate_limited'],
    ['authentication_error', 'upstream_credential'],
    ['api_error', 'upstream_error'],
    ['invalid_request_error', 'upstream_rejected'],
  ]
  for (const [type, code] of errors) {
    it(`classifies an error event of type ${type}`, () => {
      const frames = [start, { type: 'error', error: { type, message: 'Sorry' } }, finish, stop]
      expect(failureOf(frames)).toBe(code)
      expect(read(frames).filter((event) => event.type === 'failure')).toHaveLength(1)
    })
  }
})
