import { expect, it } from 'vitest'
import type { ToolResultBlock } from './content.ts'
import { TurnList } from './turn-list.ts'

function resultOf(callId: string): ToolResultBlock {
  return { type: 'tool-result', callId, content: [], isError: false }
}

it('tool results next to each other make one turn, and a turn between them starts another', () => {
  const turns = new TurnList()
  turns.addResult(resultOf('a'))
  turns.addResult(resultOf('b'))
  turns.add({ role: 'user', content: [] })
  turns.addResult(resultOf('c'))
  expect(turns.all).toEqual([
    { role: 'tool', results: [resultOf('a'), resultOf('b')] },
    { role: 'user', content: [] },
    { role: 'tool', results: [resultOf('c')] },
  ])
  expect(turns.last).toEqual({ role: 'tool', results: [resultOf('c')] })
})
