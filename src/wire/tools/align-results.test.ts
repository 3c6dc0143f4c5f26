import { describe, expect, it } from 'vitest'
import { createLossList } from '../../canonical/loss.ts'
import type { Turn } from '../../canonical/request.ts'
import { alignResults } from './align-results.ts'

const user: Turn = { role: 'user', content: [{ type: 'text', text: 'Wait.' }] }
const calls = (...ids: readonly string[]): Turn => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', id, name: 'f', kind: 'function', input: '{}' })),
})
const results = (...ids: readonly string[]): Turn => ({
  role: 'tool',
  results: ids.map((callId) => ({ type: 'tool-result', callId, content: [], isError: false })),
})

function align(...turns: readonly Turn[]) {
  const losses = createLossList()
  return { turns: alignResults(turns, losses), losses: losses.all.map(({ feature }) => feature) }
}

describe('the results of calls', () => {
  it.each([
    ['in another order', [calls('a', 'b'), results('b', 'a'), user]],
    ['of calls with one ID', [calls('a', 'a'), results('a', 'a')]],
    ['of an ID that comes back', [calls('a'), results('a'), calls('a'), results('a')]],
    ['without a call', [user, results('a')]],
    ['of a call that a later one with its ID closed', [calls('a'), user, calls('a'), results('a')]],
  ])('%s stay', (_name, turns) => {
    expect(align(...turns)).toEqual({ turns, losses: [] })
  })

  it('in neighbouring turns become one turn', () => {
    expect(align(calls('a', 'b'), results('a'), results('b'))).toEqual({
      turns: [calls('a', 'b'), results('a', 'b')],
      losses: [],
    })
  })

  it('move to their calls over what stands between them, declared', () => {
    expect(align(calls('a', 'b'), results('a'), user, results('b', 'x'), user)).toEqual({
      turns: [calls('a', 'b'), results('a', 'b'), user, results('x'), user],
      losses: ['turn-order'],
    })
  })
})
