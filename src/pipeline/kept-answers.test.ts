import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import type { KeptAnswerChange } from '../access/kept-answer-store.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import { KEPT_ANSWER_LIFETIME_MS, KeptAnswers } from './kept-answers.ts'

const keyA = brand<KeyId>('a')
const keyB = brand<KeyId>('b')

function openKept(max = 100) {
  const clock = createFakeClock()
  const changes: KeptAnswerChange[] = []
  const kept = new KeptAnswers({ clock, max, onChange: (change) => changes.push(change) })
  const answer = (keyId: KeyId) => ({
    keyId,
    askedName: 'm',
    publicName: 'm',
    channelName: 'c',
    upstreamModel: 'm',
    credentialId: undefined,
    keptAtMs: clock.nowMs(),
  })
  const note = (id: string, keyId = keyA) => kept.note(id, answer(keyId))
  const found = (ids: readonly string[], keyId = keyA) => ids.filter((id) => kept.find(id, keyId))
  return { clock, changes, kept, answer, note, found }
}

it('are found by the key that asked for them alone', () => {
  const { kept, answer, note, changes } = openKept()
  note('resp_1')
  expect(kept.find('resp_1', keyA)).toEqual(answer(keyA))
  expect(kept.find('resp_1', keyB)).toBeUndefined()
  kept.forget('resp_1', keyB)
  expect(kept.find('resp_1', keyA)).toEqual(answer(keyA))
  kept.forget('resp_1', keyA)
  expect(kept.find('resp_1', keyA)).toBeUndefined()
  expect(changes).toEqual([
    { keyId: keyA, id: 'resp_1', answer: answer(keyA) },
    { keyId: keyA, id: 'resp_1', answer: undefined },
  ])
})

it('are bounded, the longest unused going first', () => {
  const { kept, note, found } = openKept(2)
  note('r1')
  note('r2')
  kept.find('r1', keyA)
  note('r3')
  expect(found(['r1', 'r2', 'r3'])).toEqual(['r1', 'r3'])
})

it('of one key that asks for many take no place from those of another', () => {
  const { note, found } = openKept(4)
  note('b1', keyB)
  note('b2', keyB)
  for (let index = 0; index < 100; index += 1) note(`a${index}`)
  expect(found(['b1', 'b2'], keyB)).toEqual(['b1', 'b2'])
  expect(found(['a97', 'a98', 'a99'])).toEqual(['a98', 'a99'])
})

it('give way to a key that has less than its share', () => {
  const { note, found } = openKept(4)
  for (const id of ['a1', 'a2', 'a3', 'a4']) note(id)
  note('b1', keyB)
  note('b2', keyB)
  expect(found(['a1', 'a2', 'a3', 'a4'])).toEqual(['a3', 'a4'])
  expect(found(['b1', 'b2'], keyB)).toEqual(['b1', 'b2'])
})

it('are forgotten when the provider keeps them no longer', () => {
  const { clock, note, found } = openKept()
  note('r1')
  clock.advance(KEPT_ANSWER_LIFETIME_MS)
  expect(found(['r1'])).toEqual(['r1'])
  clock.advance(1)
  expect(found(['r1'])).toEqual([])
})

it.each(['..', 'a/b', 'a?b', '', 'a'.repeat(129), 'a%2fb', ' a', 'a\n'])(
  'are not kept under the id %j, which no path may hold',
  (id) => {
    const { note, found } = openKept()
    note(id)
    expect(found([id])).toEqual([])
  },
)
