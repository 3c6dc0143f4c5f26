import { describe, expect, it } from 'vitest'
import type { AssistantBlock } from '../../canonical/content.ts'
import type { Turn } from '../../canonical/request.ts'
import { findThinkingConflict } from './find-thinking-conflict.ts'

const asked: Turn = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }
const call: AssistantBlock = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' }
const thought: AssistantBlock = { type: 'thinking', text: 'Hm.', signature: 's' }
const calling = (...content: AssistantBlock[]): Turn => ({ role: 'assistant', content })
const given: Turn = {
  role: 'tool',
  results: [{ type: 'tool-result', callId: 'c', content: [], isError: false }],
}

function conflictOf(...turns: readonly Turn[]) {
  return findThinkingConflict({ model: 'm', stream: false, turns }, 'enabled')
}

describe('thinking with a budget', () => {
  it('is refused beside results of calls without signed thinking before them', () => {
    expect(conflictOf(asked, calling(call), given)).toBe('unthought-call')
    expect(conflictOf(asked, calling({ type: 'thinking', text: 'Hm.' }, call), given)).toBe('unthought-call')
    expect(conflictOf(asked, calling(thought, call), given)).toBeUndefined()
    expect(conflictOf(asked, calling(thought, call), given, calling(call), given)).toBeUndefined()
  })

  it('is refused, too, when text of the user follows the results in the same message', () => {
    expect(conflictOf(asked, calling(call), given, asked)).toBe('unthought-call')
    expect(conflictOf(asked, calling(call), given, asked, calling(thought, call), given)).toBe(
      'unthought-call',
    )
    expect(conflictOf(asked, calling(thought, call), given, asked)).toBeUndefined()
    expect(conflictOf(asked, calling(thought, call), given, asked, calling(call), given)).toBeUndefined()
  })

  it('is accepted after a complete answer, when the user asks again', () => {
    const said = calling({ type: 'text', text: 'Done.' })
    expect(conflictOf(asked, calling(call), given, said, asked)).toBeUndefined()
    expect(
      conflictOf(asked, calling(call), given, said, asked, calling(thought, call), given),
    ).toBeUndefined()
  })
})
