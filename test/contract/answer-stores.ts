import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { KeyId } from '../../src/access/key.ts'
import type { KeyStore } from '../../src/access/key-store.ts'
import { makeKey } from '../../src/access/make-key.ts'
import { makeSecret } from '../../src/access/make-secret.ts'
import { brand } from '../../src/kit/brand.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import type { FinishedCall, IdempotencyStore } from '../../src/stored-answers/idempotency-store.ts'
import type { StoredResponse } from '../../src/stored-answers/stored-response.ts'
import type { StoredResponsePersistence } from '../../src/stored-answers/stored-response-persistence.ts'
import { openTerms } from '../support/key-terms.ts'

export interface OpenedAnswerStores {
  readonly keyId: KeyId
  readonly storedResponses: StoredResponsePersistence
  readonly idempotency: IdempotencyStore
}

/** Inserts a key that works, since the answers of others are dropped. */
export async function insertAnsweringKey(keys: KeyStore): Promise<KeyId> {
  const maker = { pepper: createSecretKey(Buffer.alloc(32, 1)), clock: systemClock, random: systemRandom }
  const order = { terms: { ...openTerms, name: 'answering' }, hint: '', origin: 'made' } as const
  const key = makeKey({ ...order, secret: makeSecret(systemRandom) }, maker)
  const by = { author: 'tests', credential: '', address: '', details: [], atMs: 0 }
  await keys.insert(key, { ...by, action: 'key.create', subject: key.id })
  return key.id
}

function responseOf(keyId: KeyId, id: string, more: Partial<StoredResponse> = {}): StoredResponse {
  return {
    keyId,
    id,
    previousId: undefined,
    links: 0,
    askedName: 'm',
    createdAtMs: 0,
    expiresAtMs: 1_000,
    owner: undefined,
    itemIds: [`msg_${id}`],
    content: { type: 'present', input: '{"groups":["é"]}', response: '{"status":"completed"}' },
    ...more,
  }
}

function callOf(keyId: KeyId, id: string, more: Partial<FinishedCall> = {}): FinishedCall {
  return {
    name: { keyId, id },
    answer: {
      fingerprint: 'print',
      kind: 'whole',
      status: 200,
      headers: { 'x-headgate-model': 'm' },
      body: Buffer.from([0, 255, 10]),
    },
    expiresAtMs: 1_000,
    ...more,
  }
}

/** The contract of the stores of callers' answers, whatever engine is under them. `open` gives empty ones. */
export function describeAnswerStores(engine: string, open: () => Promise<OpenedAnswerStores>): void {
  describe(`stored responses in ${engine}`, () => {
    test('come back to their own key with all that they hold, and their items are found', async () => {
      const { storedResponses, keyId } = await open()
      const owner = {
        channelName: 'c',
        credentialId: undefined,
        publicName: 'm',
        upstreamModel: 'm-1',
        providerId: 'resp_theirs',
      }
      const first = responseOf(keyId, 'resp_1', { owner })
      const second = responseOf(keyId, 'resp_2', {
        previousId: 'resp_1',
        links: 1,
        content: { type: 'absent', reason: 'too-large' },
      })
      await storedResponses.save([
        { type: 'put', response: first },
        { type: 'put', response: second },
      ])
      // The IDs of items are found by themselves.
      expect(await storedResponses.find(keyId, 'resp_1')).toEqual({ ...first, itemIds: [] })
      expect(await storedResponses.find(keyId, 'resp_2')).toEqual({ ...second, itemIds: [] })
      expect(await storedResponses.find(brand<KeyId>('key_other'), 'resp_1')).toBe(undefined)
      const items = await storedResponses.findItems(keyId, ['msg_resp_2', 'msg_none'])
      expect([...items]).toEqual([['msg_resp_2', 'resp_2']])
    })

    test('go when they are deleted or have expired, and stay where another one needs them', async () => {
      const { storedResponses, keyId } = await open()
      await storedResponses.save(
        ['a', 'b', 'c'].map((id) => ({ type: 'put', response: responseOf(keyId, id) }) as const),
      )
      await storedResponses.save([
        { type: 'delete', keyId, id: 'a' },
        { type: 'extend', keyId, id: 'b', expiresAtMs: 3_000 },
      ])
      await storedResponses.prune({ nowMs: 2_000, maxBytes: 1_000_000, keepsWords: true })
      const found = await Promise.all(['a', 'b', 'c'].map((id) => storedResponses.find(keyId, id)))
      expect(found.map((response) => response?.id)).toEqual([undefined, 'b', undefined])
    })
  })

  describe(`answers for idempotency keys in ${engine}`, () => {
    test('come back to whoever repeats the call, byte for byte', async () => {
      const { idempotency, keyId } = await open()
      const call = callOf(keyId, 'one')
      expect(await idempotency.claim(call.name, 'print')).toEqual({ type: 'claimed' })
      await idempotency.finish([call])
      const again = await idempotency.claim(call.name, 'print')
      expect(again).toMatchObject({ type: 'finished', call: { answer: { status: 200, kind: 'whole' } } })
      expect(again.type === 'finished' && Buffer.from(again.call.answer.body)).toEqual(call.answer.body)
    })

    test('a call that was released or has expired can be claimed again', async () => {
      const { idempotency, keyId } = await open()
      const [released, expired] = [callOf(keyId, 'released'), callOf(keyId, 'expired')]
      await idempotency.claim(released.name, 'print')
      await idempotency.release(released.name)
      expect(await idempotency.claim(released.name, 'other')).toEqual({ type: 'claimed' })
      await idempotency.claim(expired.name, 'print')
      await idempotency.finish([expired])
      await idempotency.prune({ nowMs: 2_000, maxBytes: 1_000_000 })
      expect(await idempotency.claim(expired.name, 'print')).toEqual({ type: 'claimed' })
    })
  })
}
