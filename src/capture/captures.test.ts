import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { BodyBytes } from '../kit/json/body-bytes.ts'
import { captureSchema } from './capture-schema.ts'
import type { CaptureSummary, StoredCapture } from './capture-store.ts'
import { Captures, type CapturesOptions } from './captures.ts'

const caller = { keyName: 'ci', group: undefined }
const body = (size: number) => BodyBytes.from([Buffer.alloc(size, 'x')])

function summaryOf(requestId: string): CaptureSummary {
  return {
    requestId,
    keyId: 'key_1',
    keyName: 'ci',
    user: undefined,
    group: undefined,
    model: 'm',
    operation: 'chat',
    status: 200,
    atMs: 0,
    hasPrompt: true,
    hasAnswer: true,
  }
}

function open(different: Partial<CapturesOptions> = {}) {
  const stored: StoredCapture[] = []
  const pruned: unknown[] = []
  const outcomes: string[] = []
  const warnings: string[] = []
  const clock = createFakeClock()
  const captures = new Captures({
    policy: captureSchema.parse({ bodies: 'both', max_body: '1KB', keep: '1h', max_bytes: '2MB' }),
    prepare: async ({ summary, answer }) => ({ ...summary, content: Buffer.concat(answer?.parts ?? []) }),
    store: {
      append: async (rows) => void stored.push(...rows),
      prune: async (limits) => void pruned.push(limits),
    },
    mayWrite: () => true,
    clock,
    reports: { counted: (outcome) => outcomes.push(outcome), warn: (message) => warnings.push(message) },
    maxHeldBytes: 4_096,
    ...different,
  })
  const end = (capture: ReturnType<Captures['open']>, id: string) => {
    if (capture !== undefined)
      captures.end(capture, { summary: summaryOf(id), operation: 'chat', isStream: true })
  }
  return { captures, clock, stored, pruned, outcomes, warnings, end }
}

it('a request that is not captured costs nothing', () => {
  const { captures } = open({ policy: captureSchema.parse({ keys: { other: 'both' } }) })
  expect(captures.open({ caller, body: body(100) })).toBeUndefined()
  expect(captures.heldBytes).toBe(0)
})

it('under overload, captures that do not fit are dropped, counted and reported once, and their memory is freed', async () => {
  const gate = Promise.withResolvers<void>()
  const { captures, end, outcomes, warnings, stored } = open({
    prepare: async ({ summary }) => {
      await gate.promise
      return { ...summary, content: Buffer.alloc(1) }
    },
  })
  for (let count = 0; count < 10; count += 1)
    end(captures.open({ caller, body: body(1_024) }), `req_${count}`)
  expect(captures.heldBytes).toBe(4_096)
  expect(outcomes).toEqual(Array.from({ length: 6 }, () => 'dropped'))
  expect(warnings).toHaveLength(1)
  gate.resolve()
  await captures.flush()
  expect(stored.map(({ requestId }) => requestId)).toEqual(['req_0', 'req_1', 'req_2', 'req_3'])
  expect(captures.heldBytes).toBe(0)
})

it('a stream without an end holds no more than the memory limit', () => {
  const { captures } = open({ maxHeldBytes: 1024 ** 2 })
  const capture = captures.open({ caller, body: body(10) })
  for (let count = 0; count < 10_000; count += 1) capture?.addAnswer('y'.repeat(100))
  expect(captures.heldBytes).toBe(10 + 16 * 1_024)
  expect(capture?.end()?.answer?.totalBytes).toBe(1_000_000)
})

it('a capture that is dropped midway holds no memory, and the next one has room', () => {
  const { captures } = open()
  const large = captures.open({ caller, body: body(1_000) })
  for (let count = 0; count < 100; count += 1) large?.addAnswer('y'.repeat(100))
  expect(captures.heldBytes).toBe(0)
  expect(large?.end()).toBeUndefined()
  expect(captures.open({ caller, body: body(1_000) })?.end()).toMatchObject({ heldBytes: 1_000 })
})

it('a store failure is counted and reported, and the next capture is stored', async () => {
  let isAway = true
  const appended: string[] = []
  const { captures, end, outcomes, warnings } = open({
    store: {
      append: async ([row]) => {
        if (isAway) throw new Error('the store is away')
        appended.push(row?.requestId ?? '')
      },
      prune: async () => undefined,
    },
  })
  end(captures.open({ caller, body: body(10) }), 'req_1')
  await captures.flush()
  isAway = false
  end(captures.open({ caller, body: body(10) }), 'req_2')
  await captures.flush()
  expect([outcomes, appended]).toEqual([['failed', 'stored'], ['req_2']])
  expect(warnings).toEqual(['a capture cannot be stored: the store is away'])
  expect(captures.heldBytes).toBe(0)
})

it('captures beyond the age or size limit are deleted, at most every ten minutes', async () => {
  const { captures, clock, end, pruned } = open()
  for (const id of ['req_1', 'req_2']) end(captures.open({ caller, body: body(10) }), id)
  await captures.flush()
  const limits = { endedBeforeMs: clock.nowMs() - 3_600_000, maxBytes: 2 * 1024 ** 2 }
  expect(pruned).toEqual([limits])
  clock.advance(600_000)
  await captures.prune()
  expect(pruned).toHaveLength(2)
})

it('captures are not stored while the disk is filling up', async () => {
  const { captures, end, outcomes, stored } = open({ mayWrite: () => false })
  end(captures.open({ caller, body: body(10) }), 'req_1')
  await captures.flush()
  expect([outcomes, stored, captures.heldBytes]).toEqual([['dropped'], [], 0])
})
