import { describe, expect, test } from 'vitest'
import type { CaptureStore, StoredCapture } from '../../src/capture/capture-store.ts'

function captureOf(requestId: string, more: Partial<StoredCapture> = {}): StoredCapture {
  return {
    requestId,
    keyId: 'key_1',
    keyName: 'ci',
    user: undefined,
    group: 'search',
    model: 'm',
    operation: 'chat',
    status: 200,
    atMs: 5,
    hasPrompt: true,
    hasAnswer: false,
    content: Buffer.from([0, 1, 255]),
    ...more,
  }
}

/** The contract of every store of captures, whatever engine is under it. `open` gives an empty one. */
export function describeCaptureStore(engine: string, open: () => Promise<CaptureStore>): void {
  describe(`captures in ${engine}`, () => {
    test('come back as they were stored, byte for byte', async () => {
      const store = await open()
      const capture = captureOf('req_1', { user: 'anna', model: undefined, hasAnswer: true })
      await store.append([capture])
      const found = await store.find('req_1')
      expect(Buffer.from(found?.content ?? [])).toEqual(capture.content)
      expect({ ...found, content: undefined }).toEqual({ ...capture, content: undefined })
      expect(await store.find('req_2')).toBe(undefined)
      expect([...(await store.findCaptured(['req_1', 'req_2']))]).toEqual(['req_1'])
    })

    test('are found by who asked, for what and when, the newest first', async () => {
      const store = await open()
      await store.append([
        captureOf('a', { atMs: 1 }),
        captureOf('b', { atMs: 2, keyId: 'key_2', keyName: 'cd', status: 500 }),
        captureOf('c', { atMs: 3, user: 'anna', group: undefined, model: 'other' }),
      ])
      const idsOf = async (query: Omit<Parameters<CaptureStore['page']>[0], 'limit'>) =>
        (await store.page({ ...query, limit: 9 })).captures.map(({ requestId }) => requestId)
      expect(await idsOf({})).toEqual(['c', 'b', 'a'])
      expect(await idsOf({ key: 'cd' })).toEqual(['b'])
      expect(await idsOf({ key: 'key_1' })).toEqual(['c', 'a'])
      expect(await idsOf({ user: 'anna' })).toEqual(['c'])
      expect(await idsOf({ group: 'search' })).toEqual(['b', 'a'])
      expect(await idsOf({ model: 'other' })).toEqual(['c'])
      expect(await idsOf({ status: [500, 599] })).toEqual(['b'])
      expect(await idsOf({ sinceMs: 2, untilMs: 2 })).toEqual(['b'])
    })

    test('are deleted one by one, with their key and all together', async () => {
      const store = await open()
      await store.append([
        captureOf('a'),
        captureOf('b'),
        captureOf('c', { keyId: 'key_2', keyName: 'cd' }),
        captureOf('d', { keyId: 'key_3', keyName: 'ef' }),
      ])
      expect([await store.delete('a'), await store.delete('a')]).toEqual([true, false])
      expect([await store.deleteOfKey('key_1'), await store.deleteOfKey('cd')]).toEqual([1, 1])
      expect((await store.totals()).count).toBe(1)
      await store.deleteAll()
      expect(await store.totals()).toEqual({ count: 0, bytes: 0 })
    })
  })
}
