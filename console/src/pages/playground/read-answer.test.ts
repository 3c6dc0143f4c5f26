import { describe, expect, it } from 'vitest'
import { type AssistantTurn, startedTurn } from './conversation.ts'
import { addChunk } from './read-answer.ts'

/** The calls of an answer whose stream has these pieces, each in a chunk of its own. */
function readCalls(...pieces: readonly unknown[]): readonly Partial<AssistantTurn['calls'][number]>[] {
  const turn = pieces.reduce<AssistantTurn>(
    (before, piece) => addChunk(before, { choices: [{ delta: { tool_calls: [piece] } }] }, 1),
    startedTurn,
  )
  return turn.calls.map(({ id, name, input }) => ({ id, name, input }))
}

const call = (name: string, input: string) => ({ function: { name, arguments: input } })
const more = (input: string) => ({ function: { arguments: input } })
const both = [
  { id: 'a', name: 'f', input: '{"x":1}' },
  { id: 'b', name: 'g', input: '{}' },
]

describe('the tool calls of a streamed answer', () => {
  it('are each read once when the first one has index 1', () => {
    const calls = readCalls(
      { index: 1, id: 'a', ...call('f', '') },
      { index: 1, ...more('{"x":') },
      { index: 1, ...more('1}') },
      { index: 2, id: 'b', ...call('g', '') },
      { index: 2, ...more('{}') },
    )
    expect(calls).toEqual(both)
  })

  it('are continued by their index when they arrive in turns', () => {
    const calls = readCalls(
      { index: 0, id: 'a', ...call('f', '{"x":') },
      { index: 1, id: 'b', ...call('g', '{') },
      { index: 0, ...more('1}') },
      { index: 1, ...more('}') },
    )
    expect(calls).toEqual(both)
  })

  it('are distinguished by their ID when every call has index 0, or none', () => {
    for (const index of [0, undefined]) {
      const calls = readCalls(
        { index, id: 'a', ...call('f', '{"x":') },
        { index, ...more('1}') },
        { index, id: 'b', ...call('g', '{}') },
      )
      expect(calls).toEqual(both)
    }
  })

  it('have one ID and one name when each piece repeats them', () => {
    const calls = readCalls(
      { index: 0, id: 'a', ...call('f', '{"x":') },
      { index: 0, id: 'a', ...call('f', '1}') },
    )
    expect(calls).toEqual([both[0]])
  })

  it('have the text of arguments that arrive as an object', () => {
    const calls = readCalls({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })
    expect(calls).toEqual([both[0]])
  })
})

it.each([
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['stop', null],
  ['tool_calls', null],
])(
  'the reason %s of the end of an answer is shown as %s, also after the chunk with the usage',
  (reason, cutBy) => {
    const ended = addChunk(startedTurn, { choices: [{ delta: {}, finish_reason: reason }] }, 1)
    expect(addChunk(ended, { choices: [], usage: {} }, 2).cutBy).toBe(cutBy)
  },
)
