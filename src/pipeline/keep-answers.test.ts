import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import type { KeptAnswerStore } from '../access/kept-answer-store.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import { openKeyStore } from '../storage/open-key-store.ts'
import { createAnswerKeeper } from './keep-answers.ts'
import { KEPT_ANSWER_LIFETIME_MS } from './kept-answers.ts'

const keyId = brand<KeyId>('a')
const clock = createFakeClock()

function answerAt(keptAtMs: number) {
  const names = { askedName: 'm', publicName: 'm', channelName: 'c', upstreamModel: 'm' }
  return { keyId, ...names, credentialId: undefined, keptAtMs }
}

it('over a restart are found again, but those that were forgotten or are too old', async () => {
  const folder = makeTemporaryFolder()
  const open = async () => {
    const opened = await openKeyStore(folder)
    const keeper = createAnswerKeeper({ store: opened.keptAnswers, clock, warn: () => undefined })
    await keeper.load()
    return { answers: keeper.answers, close: () => keeper.close().then(opened.close) }
  }
  const first = await open()
  const ids = Array.from({ length: 1_201 }, (_, index) => `r${index}`)
  for (const id of ids) first.answers.note(id, answerAt(clock.nowMs()))
  first.answers.forget('r1', keyId)
  first.answers.note('old', answerAt(clock.nowMs() - KEPT_ANSWER_LIFETIME_MS - 1))
  await first.close()
  const second = await open()
  expect(ids.filter((id) => second.answers.find(id, keyId) === undefined)).toEqual(['r1'])
  expect(second.answers.find('r2', keyId)).toEqual(answerAt(clock.nowMs()))
  second.answers.forget('r2', keyId)
  await second.close()
  const third = await open()
  expect(['r2', 'r3', 'old'].filter((id) => third.answers.find(id, keyId))).toEqual(['r3'])
  await third.close()
})

it('a store that fails is told of once, asked again later, and loses nothing', async () => {
  const saved: string[][] = []
  const warnings: string[] = []
  let isBroken = true
  const store: KeptAnswerStore = {
    load: async () => [],
    async save(changes) {
      if (isBroken) throw new Error('no disk')
      saved.push(changes.map(({ id, answer }) => `${id} ${answer !== undefined}`))
    },
  }
  const keeper = createAnswerKeeper({ store, clock, warn: (message) => warnings.push(message) })
  keeper.answers.note('r1', answerAt(clock.nowMs()))
  keeper.answers.note('r2', answerAt(clock.nowMs()))
  clock.advance(2_000)
  await settle()
  keeper.answers.forget('r1', keyId)
  clock.advance(30_000)
  await settle()
  isBroken = false
  clock.advance(30_000)
  await settle()
  expect(saved).toEqual([['r1 false', 'r2 true']])
  expect(warnings).toEqual(['whose answers providers keep cannot be saved: no disk'])
  expect(clock.pendingTimers).toBe(0)
})

async function settle() {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}
