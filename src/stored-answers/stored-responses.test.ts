import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import type { StoredResponse } from './stored-response.ts'
import type { StoredResponseChange, StoredResponsePersistence } from './stored-response-persistence.ts'
import { StoredResponses } from './stored-responses.ts'

const keyId = brand<KeyId>('key_1')
const other = brand<KeyId>('key_2')

function responseOf(id: string, response = '{}'): StoredResponse {
  return {
    keyId,
    id,
    previousId: undefined,
    links: 0,
    askedName: 'm',
    createdAtMs: 0,
    expiresAtMs: 10_000_000,
    owner: undefined,
    itemIds: [`msg_${id}`],
    content: { type: 'present', input: '{}', response },
  }
}

/** A database that can be made to fail. */
function open(maxWaitingBytes?: number) {
  const saved: StoredResponseChange[] = []
  const warnings: string[] = []
  const state = { isFailing: false, gate: Promise.resolve() }
  const persistence: StoredResponsePersistence = {
    find: async (key, id) =>
      saved
        .flatMap((one) =>
          one.type === 'put' && one.response.id === id && key === keyId ? [one.response] : [],
        )
        .at(-1),
    findItems: async () => new Map(),
    async save(changes) {
      await state.gate
      if (state.isFailing) throw new Error('disk full')
      saved.push(...changes)
    },
    prune: async () => undefined,
  }
  const clock = createFakeClock(0)
  const parts = { persistence, clock, warn: (message: string) => warnings.push(message) }
  const policy = { keepMs: 1_000, maxBytes: 1_000_000 }
  const responses = new StoredResponses(
    maxWaitingBytes === undefined ? parts : { ...parts, maxWaitingBytes },
    policy,
  )
  return { responses, saved, warnings, state, clock }
}

it('finds a new response at once, by its key and by its items', async () => {
  const { responses } = open()
  responses.put(responseOf('resp_1'))
  expect(await responses.find(keyId, 'resp_1')).toMatchObject({ id: 'resp_1' })
  expect(await responses.find(other, 'resp_1')).toBeUndefined()
  expect(await responses.findItems(keyId, ['msg_resp_1'])).toEqual(new Map([['msg_resp_1', 'resp_1']]))
  expect(await responses.findItems(other, ['msg_resp_1'])).toEqual(new Map())
})

it('finds neither deleted nor expired responses', async () => {
  const { responses } = open()
  responses.put(responseOf('resp_1'))
  responses.delete(keyId, 'resp_1')
  expect(await responses.find(keyId, 'resp_1')).toBeUndefined()
  responses.put({ ...responseOf('resp_2'), expiresAtMs: 0 })
  expect(await responses.find(keyId, 'resp_2')).toBeUndefined()
})

it('writes the waiting responses when it is closed', async () => {
  const { responses, saved } = open()
  responses.put(responseOf('resp_1'))
  await responses.close()
  expect(saved).toHaveLength(1)
  expect(await responses.find(keyId, 'resp_1')).toMatchObject({ id: 'resp_1' })
})

it('keeps responses that the database refuses, warns once, and loses the oldest above a limit', async () => {
  const { responses, warnings, state } = open(3_000)
  state.isFailing = true
  responses.put(responseOf('resp_1'))
  await responses.close()
  expect(warnings).toEqual([expect.stringContaining('disk full')])
  expect(await responses.find(keyId, 'resp_1')).toMatchObject({ id: 'resp_1' })
  for (const id of ['resp_2', 'resp_3', 'resp_4', 'resp_5', 'resp_6']) responses.put(responseOf(id))
  expect(await responses.find(keyId, 'resp_1')).toBeUndefined()
  expect(await responses.find(keyId, 'resp_6')).toMatchObject({ id: 'resp_6' })
  expect(warnings).toHaveLength(2)
})

it('keeps a response that is continued while the database refuses it', async () => {
  const { responses, state, saved, clock } = open()
  const gate = Promise.withResolvers<void>()
  Object.assign(state, { isFailing: true, gate: gate.promise })
  responses.put(responseOf('resp_1'))
  await clock.advance(50)
  responses.extend(keyId, 'resp_1', 20_000_000)
  gate.resolve()
  await clock.advance(0)
  state.isFailing = false
  await responses.close()
  expect(await responses.find(keyId, 'resp_1')).toMatchObject({ id: 'resp_1', expiresAtMs: 20_000_000 })
  expect(saved.map(({ type }) => type)).toEqual(['put'])
})
