import { describe, expect, it } from 'vitest'
import { delta, done, finish } from '../../../../test/support/chat-chunks.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Choice } from '../../../canonical/reply.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { createStreamReader } from './stream-reader.ts'

function readText(text: string): readonly ReplyEvent[] {
  const reader = createStreamReader()
  const frames = createSseParser().push(Buffer.from(text))
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end()]
}

function choiceOf(...frames: string[]): Choice | undefined {
  const reply = foldReply(readText(frames.join('')))
  if ('code' in reply) throw new Error(reply.code)
  return reply.choices[0]
}

function calls(...pieces: JsonObject[]): readonly unknown[] {
  const frames = pieces.map((piece) => delta({ tool_calls: [piece] }))
  const content = choiceOf(...frames, finish('tool_calls'), done)?.content ?? []
  return content.map((block) =>
    block.type === 'tool-call' ? [block.id, block.name, block.input] : block.type,
  )
}

const call = (name: string, text: string) => ({ function: { name, arguments: text } })

describe('tool calls in pieces', () => {
  it('continue by index, as the format says', () => {
    const found = calls(
      { index: 0, id: 'a', type: 'function', ...call('f', '') },
      { index: 1, id: 'b', type: 'function', ...call('g', '') },
      { index: 0, function: { arguments: '{"x":' } },
      { index: 1, function: { arguments: '{}' } },
      { index: 0, function: { arguments: '1}' } },
    )
    expect(found).toEqual([
      ['a', 'f', '{"x":1}'],
      ['b', 'g', '{}'],
    ])
  })

  it('are distinguished by id when every call has index 0, or none', () => {
    const both = [
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ]
    expect(
      calls({ index: 0, id: 'a', ...call('f', '{}') }, { index: 0, id: 'b', ...call('g', '{}') }),
    ).toEqual(both)
    expect(calls({ id: 'a', ...call('f', '{}') }, { id: 'b', ...call('g', '{}') })).toEqual(both)
  })

  it('with another id start another call, even if the earlier input is incomplete', () => {
    const pieces = [
      { index: 0, id: 'a', ...call('f', '') },
      { index: 0, id: 'b', ...call('g', '{}') },
    ]
    expect(calls(...pieces)).toEqual([
      ['a', 'f', ''],
      ['b', 'g', '{}'],
    ])
  })

  it('that add to a finished call make the answer unreadable', () => {
    const events = readText(
      [
        delta({ tool_calls: [{ index: 0, id: 'a', ...call('f', '{}') }] }),
        delta({ tool_calls: [{ index: 1, id: 'b', ...call('g', '{}') }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] }),
        finish('tool_calls'),
        done,
      ].join(''),
    )
    const last = events.at(-1)
    expect(last?.type === 'failure' && last.failure.code).toBe('upstream_bad_response')
  })

  it('continue without index or id, with an empty id, and with repeated id and name', () => {
    const whole = [['a', 'f', '{"x":1}']]
    const start = { id: 'a', ...call('f', '{"x"') }
    expect(calls(start, { function: { arguments: ':1}' } })).toEqual(whole)
    expect(calls({ index: 0, ...start }, { index: 0, id: '', function: { arguments: ':1}' } })).toEqual(whole)
    expect(calls({ index: 0, ...start }, { index: 0, id: 'a', ...call('f', ':1}') })).toEqual(whole)
  })

  it('get ids of their own when the upstream repeats an id, or gives none', () => {
    expect(calls({ id: '0', ...call('f', '{}') }, { id: '0', ...call('g', '{}') })).toEqual([
      ['0', 'f', '{}'],
      ['call_0_0_1', 'g', '{}'],
    ])
    expect(calls({ index: 0, ...call('f', '{}') }, { index: 1, ...call('f', '{}') })).toEqual([
      ['call_i_0_0', 'f', '{}'],
      ['call_i_0_1', 'f', '{}'],
    ])
  })

  it('start once the name is known, and accept arguments that are an object', () => {
    expect(
      calls({ index: 0, id: 'a', function: { arguments: '{' } }, { index: 0, ...call('f', '}') }),
    ).toEqual([['a', 'f', '{}']])
    expect(calls({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })).toEqual([
      ['a', 'f', '{"x":1}'],
    ])
  })

  it('may be custom, or in the legacy form of functions', () => {
    expect(
      calls(
        { index: 0, id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } },
        { index: 0, custom: { input: 'y' } },
      ),
    ).toEqual([['a', 'c', 'xy']])
    const legacy = choiceOf(
      delta({ function_call: { name: 'f', arguments: '{"a"' } }),
      delta({ function_call: { arguments: ':1}' } }),
      finish('function_call'),
    )
    expect(legacy).toEqual({
      content: [{ type: 'tool-call', id: 'call_i_0_0', name: 'f', kind: 'function', input: '{"a":1}' }],
      stopReason: 'tool-calls',
    })
  })

  it('end early only once their input is complete', () => {
    const events = readText(
      [
        delta({ tool_calls: [{ index: 0, id: 'a', ...call('f', '{}') }] }),
        delta({ tool_calls: [{ index: 1, id: 'b', ...call('g', '{"x"') }] }),
        delta({ tool_calls: [{ index: 2, id: 'c', ...call('h', '{}') }] }),
        delta({ tool_calls: [{ index: 1, function: { arguments: ':1}' } }] }),
        done,
      ].join(''),
    )
    const order = events.flatMap((event) =>
      event.type === 'block-start' || event.type === 'block-end' ? [`${event.type} ${event.block}`] : [],
    )
    expect(order).toEqual([
      'block-start 0',
      'block-end 0',
      'block-start 1',
      'block-start 2',
      'block-end 1',
      'block-end 2',
    ])
  })
})
