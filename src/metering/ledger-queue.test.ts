import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createLedgerIntent, createLedgerRow } from '../../test/support/ledger-row.ts'
import { GatewayError } from '../canonical/failure.ts'
import { nextTurn } from '../kit/time/clock.ts'
import { LedgerQueue, type LedgerQueueOptions } from './ledger-queue.ts'
import type { LedgerIntent, LedgerRow } from './ledger-row.ts'
import type { LedgerBatch } from './ledger-store.ts'

type Mode = 'works' | 'fails' | 'stalls'

/** Writes as the contract says: a batch or nothing, one at a time. */
class TestStore {
  mode: Mode = 'works'
  readonly batches: LedgerBatch[] = []
  tries = 0
  isBusy = false
  readonly #stalled: (() => void)[] = []

  async commit(batch: LedgerBatch): Promise<void> {
    if (this.isBusy) throw new Error('a second commit began before the first had ended')
    this.isBusy = true
    this.tries += 1
    try {
      if (this.mode === 'stalls') await new Promise<void>((resolve) => this.#stalled.push(resolve))
      await nextTurn()
      if (this.mode === 'fails') throw new GatewayError('store_unavailable')
      this.batches.push(batch)
    } finally {
      this.isBusy = false
    }
  }

  resume(mode: Mode = 'works'): void {
    this.mode = mode
    for (const go of this.#stalled.splice(0)) go()
  }

  get rowIds(): readonly string[] {
    return this.batches.flatMap(({ rows }) => rows.map(({ id }) => id))
  }
}

function setUp(durability: LedgerQueueOptions['durability'] = 'batched') {
  const clock = createFakeClock()
  const store = new TestStore()
  const warnings: string[] = []
  const states: boolean[] = []
  let dropped = 0
  const queue = new LedgerQueue({
    ...{ store, clock, durability },
    reports: {
      setUp: (isUp) => states.push(isUp),
      addDropped: (count) => {
        dropped += count
      },
      warn: (message) => warnings.push(message),
    },
  })
  return { clock, store, queue, warnings, states, dropped: () => dropped }
}

let attempts = 0

function sampleIntent(): LedgerIntent {
  attempts += 1
  return createLedgerIntent(attempts)
}

/** Of the attempt of an intent, or of one that had none. */
function sampleRow(
  { id, requestId }: LedgerIntent = sampleIntent(),
  changes: Partial<LedgerRow> = {},
): LedgerRow {
  return createLedgerRow(0, { id, requestId, ...changes })
}

/** Lets commits that can go on end, those included that follow at once. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await nextTurn()
}

/** What became of a promise by now. */
function follow(promise: Promise<void> | undefined) {
  const result = { state: 'waits' }
  promise?.then(
    () => {
      result.state = 'durable'
    },
    (error: unknown) => {
      result.state = error instanceof GatewayError ? error.failure.code : 'failed'
    },
  )
  return result
}

describe('an intent', () => {
  it('is durable at the end of the next commit, without a timer', async () => {
    const { queue, store } = setUp()
    const intent = sampleIntent()
    await queue.intend(intent)
    expect(store.batches).toEqual([{ intents: [intent], checkpoints: [], rows: [] }])
  })

  it('shares its commit with all others of its turn and with the rows that wait', async () => {
    const { queue, store } = setUp()
    const row = sampleRow()
    queue.record(row)
    const intents = [sampleIntent(), sampleIntent(), sampleIntent()]
    await Promise.all(intents.map((intent) => queue.intend(intent)))
    expect(store.batches).toEqual([{ intents, checkpoints: [], rows: [row] }])
  })

  it('that comes while a commit runs is written by the next one, with all that came until then', async () => {
    const { queue, store } = setUp()
    store.mode = 'stalls'
    const first = follow(queue.intend(sampleIntent()))
    await quiet()
    const others = [sampleIntent(), sampleIntent()]
    const waiting = others.map((intent) => follow(queue.intend(intent)))
    await quiet()
    expect(store.tries).toBe(1)
    store.resume()
    await quiet()
    expect([first, ...waiting].map(({ state }) => state)).toEqual(['durable', 'durable', 'durable'])
    expect(store.batches.map(({ intents }) => intents.length)).toEqual([1, 2])
  })

  it('waits out a fault of the store that ends soon', async () => {
    const { queue, store, clock } = setUp()
    store.mode = 'fails'
    const intended = follow(queue.intend(sampleIntent()))
    await quiet()
    store.mode = 'works'
    clock.advance(50)
    await quiet()
    expect(intended.state).toBe('durable')
  })

  it('fails with ledger_unavailable after two seconds without the store, and is not written later', async () => {
    const { queue, store, clock } = setUp()
    store.mode = 'fails'
    const intended = follow(queue.intend(sampleIntent()))
    for (let step = 0; step < 40; step += 1) {
      await quiet()
      clock.advance(50)
    }
    await quiet()
    expect(intended.state).toBe('ledger_unavailable')
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    expect(store.batches).toEqual([])
  })

  it('that a stalled commit has taken fails for its caller, and its row still ends it', async () => {
    const { queue, store, clock } = setUp()
    store.mode = 'stalls'
    const intent = sampleIntent()
    const intended = follow(queue.intend(intent))
    await quiet()
    clock.advance(2_000)
    await quiet()
    expect(intended.state).toBe('ledger_unavailable')
    queue.record(sampleRow(intent, { state: 'void' }))
    store.resume()
    await quiet()
    clock.advance(50)
    await quiet()
    expect(store.batches.map(({ intents }) => intents.length)).toEqual([1, 0])
    expect(store.rowIds).toEqual([intent.id])
  })
})

describe('a row', () => {
  it('is written within 100 ms, together with those that came meanwhile', async () => {
    const { queue, store, clock } = setUp()
    const rows = [sampleRow(), sampleRow(), sampleRow()]
    for (const row of rows) {
      expect(queue.record(row)).toBeUndefined()
      clock.advance(16)
    }
    await quiet()
    expect(store.batches).toEqual([])
    clock.advance(52)
    await quiet()
    expect(store.batches).toEqual([{ intents: [], checkpoints: [], rows }])
  })

  it('is written at once and waited for where each must be durable', async () => {
    const { queue, store } = setUp('strict')
    const row = sampleRow()
    await queue.record(row)
    expect(store.batches).toEqual([{ intents: [], checkpoints: [], rows: [row] }])
  })

  it('that is waited for fails after five seconds, and is written once the store is back', async () => {
    const { queue, store, clock } = setUp('strict')
    store.mode = 'fails'
    const row = sampleRow()
    const recorded = follow(queue.record(row))
    for (let second = 0; second < 5; second += 1) {
      await quiet()
      clock.advance(1_000)
    }
    await quiet()
    expect(recorded.state).toBe('ledger_unavailable')
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    expect(store.rowIds).toEqual([row.id])
  })
})

describe('a live answer', () => {
  it('has a checkpoint each second in which it came further, until its row is recorded', async () => {
    const { queue, store, clock } = setUp()
    const intent = sampleIntent()
    await queue.intend(intent)
    let tokens = 0
    queue.follow(intent.id, () => tokens)
    for (const now of [7, 7, 12]) {
      tokens = now
      clock.advance(1_000)
      await quiet()
    }
    queue.record(sampleRow(intent))
    tokens = 20
    clock.advance(1_000)
    await quiet()
    expect(store.batches.flatMap(({ checkpoints }) => checkpoints)).toEqual([
      { id: intent.id, outputTokens: 7 },
      { id: intent.id, outputTokens: 12 },
    ])
    clock.advance(2_000)
    expect(clock.pendingTimers).toBe(0)
  })

  it('has its checkpoint tried again after a commit that failed', async () => {
    const { queue, store, clock } = setUp()
    const intent = sampleIntent()
    await queue.intend(intent)
    queue.follow(intent.id, () => 7)
    store.mode = 'fails'
    clock.advance(1_000)
    await quiet()
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    expect(store.batches.at(-1)?.checkpoints).toEqual([{ id: intent.id, outputTokens: 7 }])
  })
})

describe('without its store', () => {
  it('the queue is away from when the commit that fails began, and back with the first that succeeds', async () => {
    const { queue, store, clock, states, warnings } = setUp()
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

  it('the queue is away once a commit takes longer than a second', async () => {
    const { queue, store, clock } = setUp()
    store.mode = 'stalls'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    clock.advance(999)
    expect(queue.mayServe(0)).toBe(true)
    clock.advance(1)
    expect([queue.mayServe(0), queue.awaySinceMs]).toEqual([false, 50])
  })

  it('commits are tried again with pauses that grow up to a second', async () => {
    const { queue, store, clock } = setUp()
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

  it('rows without an intent are dropped beyond a bound, which is reported once and counted', async () => {
    const { queue, store, clock, dropped, warnings } = setUp()
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

  it('rows of long tags reach the bound by their bytes', async () => {
    const { queue, store, dropped } = setUp()
    store.mode = 'stalls'
    const tags = { team: 'x'.repeat(1024 * 1024) }
    for (let index = 0; index < 40; index += 1) queue.record({ ...sampleRow(), tags })
    expect(dropped()).toBe(8)
  })

  it('rows of durable intents are never dropped', async () => {
    const { queue, store, clock, dropped } = setUp()
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

  it('intents fail at once after as long as one waits', async () => {
    const { queue, store, clock } = setUp()
    store.mode = 'fails'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    clock.advance(1_999)
    const before = follow(queue.intend(sampleIntent()))
    clock.advance(1)
    const after = follow(queue.intend(sampleIntent()))
    await Promise.resolve()
    expect([before.state, after.state]).toEqual(['waits', 'ledger_unavailable'])
  })

  it('intents fail at once where as many are open as may be', async () => {
    const { queue, store, clock } = setUp()
    store.mode = 'fails'
    queue.record(sampleRow())
    clock.advance(50)
    await quiet()
    const intents = Array.from({ length: 20_001 }, () => follow(queue.intend(sampleIntent())))
    await Promise.resolve()
    expect(intents.filter(({ state }) => state === 'ledger_unavailable')).toHaveLength(1)
  })
})

describe('closing', () => {
  it('writes what waits and leaves no timer', async () => {
    const { queue, store, clock } = setUp()
    const rows = Array.from({ length: 5_000 }, () => sampleRow())
    for (const row of rows) queue.record(row)
    queue.follow(sampleIntent().id, () => 1)
    await queue.close()
    expect(store.rowIds).toEqual(rows.map(({ id }) => id))
    expect(clock.pendingTimers).toBe(0)
  })

  it('gives up on a store that stalls for five seconds, and counts what is lost', async () => {
    const { queue, store, clock, dropped } = setUp()
    store.mode = 'stalls'
    queue.record(sampleRow())
    const closed = queue.close()
    clock.advance(5_000)
    await closed
    queue.record(sampleRow())
    expect(dropped()).toBe(2)
  })
})

type Step =
  | { readonly type: 'intend' | 'record' | 'settle' | 'turn' }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'mode'; readonly mode: Mode }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Step>({ type: 'intend' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ type: 'record' }) },
  { weight: 5, arbitrary: fc.constant<Step>({ type: 'settle' }) },
  { weight: 5, arbitrary: fc.constant<Step>({ type: 'turn' }) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 1_500 }).map((ms): Step => ({ type: 'advance', ms })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<Mode>('works', 'fails', 'stalls')
      .map((mode): Step => ({ type: 'mode', mode })),
  },
)

describe('whatever the store does', () => {
  it('each recorded row is committed exactly once, and no intent after its row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, store, queue, dropped } = setUp()
        const intended: {
          readonly intent: LedgerIntent
          readonly result: { state: string }
        }[] = []
        const recorded: string[] = []
        let settled = 0
        for (const each of steps) {
          if (each.type === 'intend') {
            const intent = sampleIntent()
            intended.push({ intent, result: follow(queue.intend(intent)) })
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
