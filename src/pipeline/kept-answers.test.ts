import { expect, it } from 'vitest'
import type { KeyId } from '../access/key.ts'
import { KeptAnswers } from './kept-answers.ts'

const keyA = 'a' as KeyId
const keyB = 'b' as KeyId
const answer = (keyId: KeyId) => ({
  keyId,
  askedName: 'm',
  publicName: 'm',
  channelName: 'c',
  upstreamModel: 'm',
  credentialId: undefined,
})

it('are found by the key that asked for them alone', () => {
  const kept = new KeptAnswers()
  kept.note('resp_1', answer(keyA))
  expect(kept.find('resp_1', keyA)).toEqual(answer(keyA))
  expect(kept.find('resp_1', keyB)).toBeUndefined()
  expect(kept.has('resp_1')).toBe(true)
  kept.forget('resp_1')
  expect(kept.find('resp_1', keyA)).toBeUndefined()
})

it('are bounded, the longest unused going first', () => {
  const kept = new KeptAnswers(2)
  for (const id of ['r1', 'r2']) kept.note(id, answer(keyA))
  kept.find('r1', keyA)
  kept.note('r3', answer(keyA))
  expect(['r1', 'r2', 'r3'].filter((id) => kept.has(id))).toEqual(['r1', 'r3'])
})

it.each(['..', 'a/b', 'a?b', '', 'a'.repeat(129), 'a%2fb'])(
  'are not kept under the id %j, which no path may hold',
  (id) => {
    const kept = new KeptAnswers()
    kept.note(id, answer(keyA))
    expect(kept.has(id)).toBe(false)
  },
)
