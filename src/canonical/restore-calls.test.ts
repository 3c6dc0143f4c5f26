import { describe, expect, it } from 'vitest'
import type { Reply } from './reply.ts'
import { createCallRestorer, restoreCalls } from './restore-calls.ts'

const tools = new Map([
  ['a_b', { name: 'a.b', kind: 'function' as const }],
  ['sql', { name: 'sql', kind: 'custom' as const }],
])
const call = (name: string, input: string) => ({
  type: 'tool-call' as const,
  id: name,
  name,
  kind: 'function' as const,
  input,
})

const replyOf = (...content: Reply['choices'][number]['content']): Reply => ({
  id: 'r',
  model: 'm',
  choices: [{ content, stopReason: 'tool-calls' }],
})

describe('restoring tool calls', () => {
  it('gives calls the names and kinds of the caller, and leaves the rest unchanged', () => {
    const text = { type: 'text' as const, text: 'Hm.' }
    const reply = replyOf(
      text,
      call('a_b', '{"x":1}'),
      call('sql', '{"input":"SELECT 1"}'),
      call('other', '{}'),
    )
    expect(restoreCalls(reply, tools)).toEqual(
      replyOf(
        text,
        { ...call('a_b', '{"x":1}'), name: 'a.b' },
        { ...call('sql', 'SELECT 1'), kind: 'custom' },
        call('other', '{}'),
      ),
    )
  })

  it('passes on the text of the model if it is not the expected object', () => {
    for (const input of ['{"input": ', '{"input": 1}', '[]', 'SELECT 1']) {
      expect(restoreCalls(replyOf(call('sql', input)), tools)).toMatchObject({
        choices: [{ content: [{ kind: 'custom', input }] }],
      })
    }
  })

  it.each([
    ['{"input":"SELECT \\', 'SELECT '],
    ['{"input":"SELECT \\"', 'SELECT "'],
    ['{"input": "SELECT \\"a\\"\\\\', 'SELECT "a"\\'],
    ['{"input":"SELECT \\u00', 'SELECT '],
    ['{"input":"SELECT 1"', 'SELECT 1'],
    ['{"input":"', ''],
  ])('gives the beginning of free text whose object was cut off: %s', (input, text) => {
    expect(restoreCalls(replyOf(call('sql', input)), tools)).toMatchObject({
      choices: [{ content: [{ kind: 'custom', input: text }] }],
    })
  })

  it('emits free text when its call ends, and other input as it arrives', () => {
    const restore = createCallRestorer(tools)
    const position = { choice: 0, block: 0 }
    const start = {
      type: 'block-start',
      ...position,
      start: { type: 'tool-call', id: 'c', name: 'sql', kind: 'function' },
    } as const
    expect(restore(start)).toMatchObject([{ start: { kind: 'custom' } }])
    expect(restore({ type: 'tool-input-delta', ...position, text: '{"input":"a' })).toEqual([])
    expect(restore({ type: 'tool-input-delta', ...position, text: 'b"}' })).toEqual([])
    const end = { type: 'block-end', ...position } as const
    expect(restore(end)).toEqual([{ type: 'tool-input-delta', ...position, text: 'ab' }, end])
    const other = { type: 'tool-input-delta', choice: 0, block: 1, text: '{' } as const
    expect(restore(other)).toEqual([other])
  })

  it('turns the call that carries the answer into text with an ordinary stop reason', () => {
    const answer = new Map([['give_answer', { name: 'give_answer', kind: 'answer' as const }]])
    const given = restoreCalls(replyOf(call('give_answer', '{"age":3}')), answer)
    expect(given).toEqual({
      ...replyOf(),
      choices: [{ content: [{ type: 'text', text: '{"age":3}' }], stopReason: 'end' }],
    })
    const cut = { ...replyOf(call('give_answer', '{"age"')), choices: [] }
    expect(restoreCalls(cut, answer)).toMatchObject({ choices: [] })
    const said = replyOf({ type: 'text', text: '{"age":3}' })
    expect(restoreCalls(said, answer)).toEqual(said)
  })

  it('keeps the first of several answers, since a caller reads the text as one JSON value', () => {
    const answer = new Map([['give_answer', { name: 'give_answer', kind: 'answer' as const }]])
    const [first, second] = [call('give_answer', '{"age":3}'), call('give_answer', '{"age":4}')]
    expect(restoreCalls(replyOf(first, second, call('other', '{}'), second), answer)).toMatchObject({
      choices: [{ content: [{ type: 'text', text: '{"age":3}' }, call('other', '{}')] }],
    })
  })
})
