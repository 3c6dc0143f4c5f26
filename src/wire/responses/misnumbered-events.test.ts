import { describe, expect, it } from 'vitest'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { createStreamReader } from './reply/stream-reader.ts'

const bare = { type: 'message', id: 'msg_0', role: 'assistant', status: 'in_progress', content: [] }

function message(...texts: readonly string[]): JsonObject {
  const content = texts.map((text) => ({ type: 'output_text', text, annotations: [] }))
  return { ...bare, status: 'completed', content }
}

const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'f',
  arguments: '{"a":1}',
}

function added(item: object, index: number | null = 0): object {
  return { type: 'response.output_item.added', output_index: index, item }
}

function done(item: object, index = 0): object {
  return { type: 'response.output_item.done', output_index: index, item }
}

function delta(text: string, fields: object = {}): object {
  const at = { output_index: 0, item_id: 'msg_0', content_index: 0 }
  return { type: 'response.output_text.delta', ...at, delta: text, ...fields }
}

function completed(...output: readonly object[]): object {
  return { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed', output } }
}

/** The text of the blocks and calls that the reader makes of a stream. */
function read(...events: readonly object[]): readonly string[] {
  const reader = createStreamReader()
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const frames = createSseParser().push(Buffer.from(text))
  const reply = foldReply([...frames.flatMap((frame) => reader.push(frame)), ...reader.end()])
  if (!('choices' in reply)) throw new Error(`no answer: ${JSON.stringify(reply)}`)
  return reply.choices.flatMap(({ content }) =>
    content.flatMap((block) => {
      if (block.type === 'tool-call') return [`${block.name} ${block.input}`]
      return block.type === 'text' ? [block.text] : []
    }),
  )
}

describe('misnumbered events of a responses stream', () => {
  it.each([undefined, -1])('give a text once when its end has another index and the ID %s', (id) => {
    const whole = message('one two')
    const nameless = { ...whole, id }
    const words = read(added(bare), delta('one '), delta('two'), done(nameless, 1e9), completed(whole))
    expect(words).toEqual(['one two'])
  })

  it.each([undefined, '', [{ a: 1 }]])(
    'give a text once when its start has the ID %j and its end another index',
    (id) => {
      const whole = message('one two')
      const words = read(
        added({ ...bare, id }),
        delta('one '),
        delta('two'),
        done(whole, 1),
        completed(whole),
      )
      expect(words).toEqual(['one two'])
    },
  )

  it('give a text once when its deltas name different parts of an item with one part', () => {
    const whole = message('one two three')
    const words = read(
      ...[added(bare), delta('one '), delta('two ', { output_index: 7, content_index: 2 })],
      ...[done(whole), completed(whole)],
    )
    expect(words.join('')).toBe('one two three')
  })

  it('give each part once when a delta of the first names a part beyond the last', () => {
    const whole = message('one two ', 'three')
    const words = read(
      ...[added(bare), delta('one '), delta('two ', { content_index: 5 }), done(whole), completed(whole)],
    )
    expect(words.join('')).toBe('one two three')
  })

  it('give no word twice when a delta is missing before one that names another part', () => {
    const whole = message('one two three')
    const words = read(
      ...[added(bare), delta('one '), delta('three', { content_index: 5 }), done(whole), completed(whole)],
    )
    expect(words.join('')).toBe('one three')
  })

  it('give two parts when the second repeats the continuation of the first', () => {
    const whole = message('one two', ' two')
    const words = read(
      ...[added(bare), delta('one'), delta(' two', { content_index: 1 }), done(whole), completed(whole)],
    )
    expect(words).toEqual(['one two', ' two'])
  })

  it('give a text once when a delta names no item and an unused index', () => {
    const whole = message('one two')
    const words = read(
      added(bare, null),
      delta('one ', { output_index: 1, item_id: undefined }),
      done(whole, 1),
      completed(whole),
    )
    expect(words.join('')).toBe('one two')
  })

  it('give an item once that has no ID at the end, beside others with IDs', () => {
    const whole = message('one')
    const words = read(
      ...[added(bare), delta('one'), done(whole), added(call, 1), done(call, 1)],
      completed({ ...whole, id: {} }, call),
    )
    expect(words).toEqual(['one', 'f {"a":1}'])
  })

  it('give a call once when its start has another ID than its end', () => {
    const whole = message('one')
    const start = { type: 'function_call', id: 'call_1', name: 'f', arguments: '' }
    const words = read(
      ...[added(bare), delta('one'), done(whole), added(start, 1), done(call, 1)],
      completed(whole, call),
    )
    expect(words).toEqual(['one', 'f {"a":1}'])
  })
})
