import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  quiet,
  type StoreMode,
  sampleIntent,
  sampleRow,
  setUpLedgerQueue,
  watch,
} from '../../../test/support/ledger-queue-scene.ts'
import type { LedgerIntent } from '../ledger-row.ts'

describe('a ledger queue without its store', () => {
  it('is away from the start of the failing commit, and back with the first commit that succeeds', async () => {
    const { queue, store, clock, states, warnings } = setUpLedgerQueue()
    store.mode = 'fails'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    expect(queue.awaySinceMs).toBe(50)
    clock.advance(59_999)
    await quiet()
    expect([queue.mayServe(0), queue.mayServe(60_000)]).toEqual([false, true])
    clock.advance(1)
    expect(queue.mayServe(60_000)).toBe(false)
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    expect([queue.awaySinceMs, queue.mayServe(0)]).toEqual([undefined, true])
    expect(states).toEqual([true, false, true])
    expect(warnings).toHaveLength(2)
  })

  it('is back once the store is, even with nothing left to write', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    const intended = watch(queue.intend(sampleIntent()))
    for (let second = 0; second < 4; second += 1) {
      await quiet()
      clock.advance(1_000)
    }
    await quiet()
    expect([intended.state, queue.mayServe(0)]).toEqual(['ledger_unavailable', false])
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    expect(queue.mayServe(0)).toBe(true)
    clock.advance(5_000)
    await quiet()
    expect(clock.pendingTimers).toBe(0)
  })

  it('is back once the store has refused an intent alone', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    const late = sampleIntent()
    store.ended = late.id
    const intended = watch(queue.intend(late))
    await quiet()
    expect(queue.mayServe(0)).toBe(false)
    store.mode = 'works'
    clock.advance(50)
    await quiet()
    await quiet()
    expect([intended.state, queue.mayServe(0)]).toEqual(['ledger_unavailable', true])
  })

  it('is away once a commit takes longer than a second', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'stalls'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    clock.advance(999)
    expect(queue.mayServe(0)).toBe(true)
    clock.advance(1)
    expect([queue.mayServe(0), queue.awaySinceMs]).toEqual([false, 50])
  })

  it('tries commits again with pauses that grow up to a second', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    queue.record(sampleRow())
    const triedAtMs: number[] = []
    for (let step = 0; step < 400; step += 1) {
      clock.advance(10)
      const before = store.tries
      await quiet()
      if (store.tries > before) triedAtMs.push(clock.monotonicMs())
    }
    expect(triedAtMs).toEqual([50, 100, 200, 400, 800, 1_600, 2_600, 3_600])
  })

  it('writes pending rows at once when the store is known to be back', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    store.mode = 'works'
    queue.retryNow()
    clock.advance(20)
    await quiet()
    expect([store.tries, queue.awaySinceMs]).toEqual([2, undefined])
  })

  it('has short pauses again after a commit that succeeded', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    queue.record(sampleRow())
    for (let second = 0; second < 5; second += 1) {
      clock.advance(1_000)
      await quiet()
    }
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    store.mode = 'fails'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    const before = store.tries
    clock.advance(50)
    await quiet()
    expect(store.tries).toBe(before + 1)
  })

  it('drops rows without an intent beyond a bound, reports that once and counts them', async () => {
    const { queue, store, clock, dropped, warnings } = setUpLedgerQueue()
    store.mode = 'stalls'
    for (let index = 0; index < 25_000; index += 1) queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    clock.advance(30_000)
    expect(dropped()).toBe(5_000)
    expect(warnings).toHaveLength(2)
    store.resume()
    for (let turn = 0; turn < 10; turn += 1) await quiet()
    expect(store.rowIds).toHaveLength(20_000)
    expect(warnings.at(-1)).toContain('lost 5000 rows')
  })

  it('reaches the bound by bytes with rows of long tags', async () => {
    const { queue, store, dropped } = setUpLedgerQueue()
    store.mode = 'stalls'
    const tags = { team: 'x'.repeat(1024 * 1024) }
    for (let index = 0; index < 40; index += 1) queue.record({ ...sampleRow(), tags })
    expect(dropped()).toBe(8)
  })

  it('never drops rows of durable intents', async () => {
    const { queue, store, clock, dropped } = setUpLedgerQueue()
    const intent = sampleIntent()
    await queue.intend(intent)
    store.mode = 'fails'
    for (let index = 0; index < 20_001; index += 1) queue.record(sampleRow())
    expect(dropped()).toBe(1)
    queue.record(sampleRow(intent))
    expect(dropped()).toBe(1)
    store.mode = 'works'
    clock.advance(1_000)
    for (let turn = 0; turn < 10; turn += 1) await quiet()
    expect(store.rowIds).toContain(intent.id)
  })

  it('fails intents at once when the store has been away for the longest wait of an intent', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    clock.advance(1_999)
    const before = watch(queue.intend(sampleIntent()))
    clock.advance(1)
    const after = watch(queue.intend(sampleIntent()))
    await Promise.resolve()
    expect([before.state, after.state]).toEqual(['waits', 'ledger_unavailable'])
  })

  it('fails intents at once beyond the largest number of open intents', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    const intents = Array.from({ length: 20_001 }, () => watch(queue.intend(sampleIntent())))
    await Promise.resolve()
    expect(intents.filter(({ state }) => state === 'ledger_unavailable')).toHaveLength(1)
  })
})

type Step =
  | { readonly type: 'intend' | 'record' | 'settle' | 'turn' }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'mode'; readonly mode: StoreMode }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Step>({ type: 'intend' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ type: 'record' }) },
  { weight: 5, arbitrary: fc.constant<Step>({ type: 'settle' }) },
  { weight: 5, arbitrary: fc.constant<Step>({ type: 'turn' }) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 1_500 }).map((ms): Step => ({ type: 'advance', ms })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<StoreMode>('works', 'fails', 'stalls')
      .map((mode): Step => ({ type: 'mode', mode })),
  },
)

describe('under any behaviour of the store', () => {
  it('each recorded row is committed exactly once, and no intent is committed after its row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, store, queue, dropped } = setUpLedgerQueue()
        const intended: {
          readonly intent: LedgerIntent
          readonly result: { state: string }
        }[] = []
        const recorded: string[] = []
        let settled = 0
        for (const each of steps) {
          if (each.type === 'intend') {
            const intent = sampleIntent()
            intended.push({ intent, result: watch(queue.intend(intent)) })
          } else if (each.type === 'record' || each.type === 'settle') {
            const next = each.type === 'settle' ? intended[settled] : undefined
            if (next !== undefined) settled += 1
            const row = sampleRow(next?.intent)
            recorded.push(row.id)
            queue.record(row)
          } else if (each.type === 'advance') clock.advance(each.ms)
          else if (each.type === 'mode') store.resume(each.mode)
          await (each.type === 'turn' ? quiet() : Promise.resolve())
        }
        store.resume()
        await quiet()
        clock.advance(2_000)
        await quiet()
        await queue.close()
        expect(dropped()).toBe(0)
        expect([...store.rowIds].sort()).toEqual(recorded.sort())
        const intentIds = store.batches.flatMap(({ intents }) => intents.map(({ id }) => id))
        expect(new Set(intentIds).size).toBe(intentIds.length)
        for (const { intent, result } of intended) {
          const intentAt = store.batches.findIndex(({ intents }) => intents.includes(intent))
          const rowAt = store.batches.findIndex(({ rows }) => rows.some(({ id }) => id === intent.id))
          if (result.state === 'durable') expect(intentAt).not.toBe(-1)
          if (intentAt !== -1 && rowAt !== -1) expect(intentAt).toBeLessThanOrEqual(rowAt)
        }
      }),
      { numRuns: 200 },
    )
  })
})
