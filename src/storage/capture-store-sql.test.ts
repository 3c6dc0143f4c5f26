import { expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import type { StoredCapture } from '../capture/capture-store.ts'
import { openCaptureStore } from './open-capture-store.ts'

function captureAt(atMs: number, different: Partial<StoredCapture> = {}): StoredCapture {
  return {
    requestId: `req_${atMs}`,
    keyId: 'key_1',
    keyName: 'ci',
    user: undefined,
    group: 'search',
    model: 'm',
    operation: 'chat',
    status: 200,
    atMs,
    hasPrompt: true,
    hasAnswer: false,
    content: Buffer.alloc(488, 1),
    ...different,
  }
}

async function open() {
  const store = await openCaptureStore(makeTemporaryFolder())
  onTestFinished(() => store.close())
  return store
}

it('captures are deleted, oldest first, when they are too old or exceed the bytes together', async () => {
  const store = await open()
  await store.append([1, 2, 3, 4, 5].map((atMs) => captureAt(atMs)))
  expect(await store.totals()).toEqual({ count: 5, bytes: 5_000 })
  await store.prune({ endedBeforeMs: 2, maxBytes: 1_000_000 })
  await store.prune({ endedBeforeMs: 0, maxBytes: 3_000 })
  expect((await store.page({ limit: 10 })).captures.map(({ atMs }) => atMs)).toEqual([5, 4, 3])
})

it('pages of captures of one moment lose and repeat none', async () => {
  const store = await open()
  const ids = ['a', 'b', 'c', 'd', 'e']
  await store.append(ids.map((requestId) => captureAt(7, { requestId })))
  const seen: string[] = []
  let after: { atMs: number; requestId: string } | undefined
  for (let hasMore = true; hasMore; ) {
    const page = await store.page({ limit: 2, after })
    seen.push(...page.captures.map(({ requestId }) => requestId))
    const last = page.captures.at(-1)
    after = last && { atMs: last.atMs, requestId: last.requestId }
    hasMore = page.hasMore
  }
  expect(seen).toEqual(ids.toReversed())
})

it('a capture is found with its content, marked in lists, and deleted alone or with its key', async () => {
  const store = await open()
  await store.append([captureAt(1), captureAt(2, { keyId: 'key_2' }), captureAt(3)])
  expect(await store.find('req_1')).toEqual(captureAt(1, { content: new Uint8Array(488).fill(1) }))
  expect(await store.findCaptured(['req_1', 'req_9'])).toEqual(new Set(['req_1']))
  expect([await store.delete('req_2'), await store.delete('req_2')]).toEqual([true, false])
  expect(await store.deleteOfKey('key_1')).toBe(2)
  expect(await store.totals()).toEqual({ count: 0, bytes: 0 })
})
