import { describe, expect, test } from 'vitest'
import type { KeyId } from '../../src/access/key.ts'
import { brand } from '../../src/kit/brand.ts'
import type { LedgerRowId } from '../../src/kit/random/ids.ts'
import type { RemoteObject, RemoteObjectStore } from '../../src/stored-answers/remote-object.ts'

const keyId = brand<KeyId>('key_1')
const other = brand<KeyId>('key_2')

function fileOf(id: string, more: Partial<RemoteObject> = {}): RemoteObject {
  return {
    keyId,
    id,
    channelName: 'c',
    credentialId: 'c#1',
    publicName: 'm',
    upstreamModel: 'upstream-m',
    providerId: `theirs-${id}`,
    createdAtMs: 1_000,
    expiresAtMs: 5_000,
    pollAtMs: undefined,
    detail: { type: 'file', filename: 'a.jsonl', bytes: 3, purpose: 'batch', input: undefined },
    ...more,
  }
}

function batchOf(id: string, pollAtMs: number | undefined, more: Partial<RemoteObject> = {}): RemoteObject {
  const charge = { rowId: brand<LedgerRowId>('row_1'), requestId: 'req_1', multiplierPpm: 1, budgets: [] }
  return fileOf(id, {
    pollAtMs,
    detail: {
      type: 'batch',
      endpoint: '/v1/embeddings',
      inputFileId: 'file-1',
      charge,
      polls: 0,
      shown: { id, status: 'validating' },
    },
    ...more,
  })
}

const charge = { rowId: brand<LedgerRowId>('row_1'), requestId: 'req_1', multiplierPpm: 1, budgets: [] }
const shown = { id: 'x' }

/** A detail of each type besides those above. */
const details: readonly RemoteObject['detail'][] = [
  {
    type: 'message-batch',
    parts: [
      { publicName: 'm', charge, requests: undefined },
      { publicName: 'n', charge, requests: 'abcdefgh' },
    ],
    polls: 2,
    shown,
  },
  { type: 'message-file', shown, uri: undefined },
  { type: 'gemini-file', shown, uri: 'https://models.example/v1beta/files/theirs' },
  { type: 'cached-content', shown, uri: undefined },
  { type: 'gemini-upload', sessionPath: '/upload/v1beta/files?upload_id=1' },
]

const page = { type: 'file', after: undefined, limit: 2, isAscending: false } as const

/** The laws of a store of what providers store for keys; `open` gives an empty one. */
export function describeRemoteObjectStore(name: string, open: () => Promise<RemoteObjectStore>): void {
  describe(`the store of remote objects in ${name}`, () => {
    test('finds an object by its key and id, or by its key and the id of the provider', async () => {
      const store = await open()
      await store.add(fileOf('f1'))
      expect(await store.find(keyId, 'f1')).toEqual(fileOf('f1'))
      expect(await store.findRemote(keyId, 'c', 'theirs-f1')).toEqual(fileOf('f1'))
      expect(await store.find(other, 'f1')).toBeUndefined()
      expect(await store.findRemote(other, 'c', 'theirs-f1')).toBeUndefined()
    })

    test('knows what any key has stored by the id of the provider', async () => {
      const store = await open()
      await store.add(fileOf('f1'))
      expect(await store.findStored(['theirs-f1', 'f1', 'none'])).toEqual(['theirs-f1'])
    })

    test.each(details)('stores an object of the type $type as it is', async (detail) => {
      const store = await open()
      await store.add(fileOf('x1', { detail }))
      expect(await store.find(keyId, 'x1')).toEqual(fileOf('x1', { detail }))
      expect((await store.list(keyId, { ...page, type: detail.type })).length).toBe(1)
    })

    test('stores one object for one id of the provider', async () => {
      const store = await open()
      await store.add(fileOf('f1'))
      await store.add(fileOf('f2', { providerId: 'theirs-f1' }))
      expect((await store.findRemote(keyId, 'c', 'theirs-f1'))?.id).toBe('f1')
    })

    test('lists the objects of a key by pages, in either order', async () => {
      const store = await open()
      for (const id of ['f1', 'f2', 'f3']) await store.add(fileOf(id))
      await store.add(fileOf('f4', { keyId: other }))
      await store.add(batchOf('b1', undefined))
      const ids = async (more: object) => (await store.list(keyId, { ...page, ...more })).map(({ id }) => id)
      expect(await ids({})).toEqual(['f3', 'f2'])
      expect(await ids({ after: 'f2' })).toEqual(['f1'])
      expect(await ids({ after: 'f1', isAscending: true })).toEqual(['f2', 'f3'])
      expect(await ids({ type: 'batch' })).toEqual(['b1'])
    })

    test('finds the batches that are due, until they are billed', async () => {
      const store = await open()
      await store.add(batchOf('b1', 20))
      await store.add(batchOf('b2', 10))
      await store.add(batchOf('b3', 30))
      expect((await store.findDue(20, 9)).map(({ id }) => id)).toEqual(['b2', 'b1'])
      await store.update(batchOf('b2', undefined))
      expect((await store.findDue(20, 9)).map(({ id }) => id)).toEqual(['b1'])
    })

    test('drops what has expired or belongs to no live key, and no batch that is not billed', async () => {
      const store = await open()
      await store.add(batchOf('b1', 20, { expiresAtMs: 1 }))
      await store.add(fileOf('f1', { expiresAtMs: 1 }))
      await store.add(fileOf('f2', { keyId: other }))
      await store.prune(2)
      expect((await store.find(keyId, 'b1'))?.id).toBe('b1')
      expect(await store.find(keyId, 'f1')).toBeUndefined()
      expect(await store.find(other, 'f2')).toBeUndefined()
    })

    test('deletes an object', async () => {
      const store = await open()
      await store.add(fileOf('f1'))
      await store.delete(other, 'f1')
      expect(await store.find(keyId, 'f1')).toBeDefined()
      await store.delete(keyId, 'f1')
      expect(await store.find(keyId, 'f1')).toBeUndefined()
    })
  })
}
