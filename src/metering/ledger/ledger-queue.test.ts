import { describe, expect, it } from 'vitest'
import {
  quiet,
  sampleIntent,
  sampleRow,
  setUpLedgerQueue,
  watch,
} from '../../../test/support/ledger-queue-scene.ts'

describe('an intent', () => {
  it('is durable at the end of the next commit, without a timer', async () => {
    const { queue, store } = setUpLedgerQueue()
    const intent = sampleIntent()
    await queue.intend(intent)
    expect(store.batches).toEqual([{ intents: [intent], checkpoints: [], rows: [] }])
  })

  it('shares its commit with all others of its turn, and leaves rows to the next commit of rows', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    const row = sampleRow()
    queue.record(row)
    const intents = [sampleIntent(), sampleIntent(), sampleIntent()]
    await Promise.all(intents.map((intent) => queue.intend(intent)))
    expect(store.batches).toEqual([{ intents, checkpoints: [], rows: [] }])
    clock.advance(50)
    await quiet()
    expect(store.batches.slice(1)).toEqual([{ intents: [], checkpoints: [], rows: [row] }])
  })

  it('that comes while a commit runs is written by the next one, with all that came until then', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'stalls'
    const first = watch(queue.intend(sampleIntent()))
    await quiet()
    const others = [sampleIntent(), sampleIntent()]
    const waiting = others.map((intent) => watch(queue.intend(intent)))
    await quiet()
    expect(store.tries).toBe(1)
    clock.advance(20)
    store.resume()
    await quiet()
    expect([first, ...waiting].map(({ state }) => state)).toEqual(['durable', 'durable', 'durable'])
    expect(store.batches.map(({ intents }) => intents.length)).toEqual([1, 2])
  })

  it('waits for others when a commit began just before', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    await queue.intend(sampleIntent())
    const second = watch(queue.intend(sampleIntent()))
    await quiet()
    clock.advance(1)
    const third = watch(queue.intend(sampleIntent()))
    await quiet()
    expect([second.state, third.state]).toEqual(['waits', 'waits'])
    clock.advance(19)
    await quiet()
    expect([second.state, third.state]).toEqual(['durable', 'durable'])
    expect(store.batches.map(({ intents }) => intents.length)).toEqual([1, 2])
  })

  it('is written within two milliseconds of the last commit when its answer has arrived', async () => {
    const { queue, clock } = setUpLedgerQueue()
    await queue.intend(sampleIntent())
    const intent = sampleIntent()
    const second = watch(queue.intend(intent))
    await quiet()
    clock.advance(1)
    queue.hurry(intent.id)
    await quiet()
    expect(second.state).toBe('waits')
    clock.advance(1)
    await quiet()
    expect(second.state).toBe('durable')
  })

  it('is written at once when its answer has arrived and the last commit began earlier', async () => {
    const { queue, clock } = setUpLedgerQueue()
    await queue.intend(sampleIntent())
    const intent = sampleIntent()
    const second = watch(queue.intend(intent))
    await quiet()
    clock.advance(5)
    queue.hurry(intent.id)
    await quiet()
    expect(second.state).toBe('durable')
  })

  it('that is already in a commit hurries none of the intents behind it', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'stalls'
    const first = sampleIntent()
    const written = watch(queue.intend(first))
    await quiet()
    const second = watch(queue.intend(sampleIntent()))
    queue.hurry(first.id)
    clock.advance(5)
    store.resume()
    await quiet()
    expect([written.state, second.state]).toEqual(['durable', 'waits'])
    clock.advance(15)
    await quiet()
    expect(second.state).toBe('durable')
  })

  it('waits for a shorter time when whole answers wait for their rows', async () => {
    const { queue, clock } = setUpLedgerQueue('strict')
    await queue.intend(sampleIntent())
    const second = watch(queue.intend(sampleIntent()))
    await quiet()
    clock.advance(2)
    await quiet()
    expect(second.state).toBe('durable')
  })

  it('waits out a short fault of the store', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    const intended = watch(queue.intend(sampleIntent()))
    await quiet()
    store.mode = 'works'
    clock.advance(50)
    await quiet()
    expect(intended.state).toBe('durable')
  })

  it('fails with ledger_unavailable after two seconds without the store, and is not written later', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    const intended = watch(queue.intend(sampleIntent()))
    for (let step = 0; step < 40; step += 1) {
      await quiet()
      clock.advance(50)
    }
    await quiet()
    expect(intended.state).toBe('ledger_unavailable')
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    expect(store.batches.flatMap(({ intents }) => intents)).toEqual([])
  })

  it('of an ended epoch is refused alone, at once', async () => {
    const { queue, store } = setUpLedgerQueue()
    const [late, good] = [sampleIntent(), sampleIntent()]
    store.ended = late.id
    const [refused, durable] = [watch(queue.intend(late)), watch(queue.intend(good))]
    const row = sampleRow()
    queue.record(row)
    await quiet()
    await quiet()
    expect([refused.state, durable.state]).toEqual(['ledger_unavailable', 'durable'])
    expect(store.batches).toEqual([{ intents: [good], checkpoints: [], rows: [row] }])
    expect(queue.awaySinceMs).toBeUndefined()
  })

  it('in a stalled commit fails for its caller, and its row still ends it', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'stalls'
    const intent = sampleIntent()
    const intended = watch(queue.intend(intent))
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
  it('is written within 100 ms, together with the rows that came meanwhile', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
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

  it('is written at once and awaited when each row must be durable', async () => {
    const { queue, store } = setUpLedgerQueue('strict')
    const row = sampleRow()
    await queue.record(row)
    expect(store.batches).toEqual([{ intents: [], checkpoints: [], rows: [row] }])
  })

  it('that is awaited fails after five seconds, and is written once the store is back', async () => {
    const { queue, store, clock } = setUpLedgerQueue('strict')
    store.mode = 'fails'
    const row = sampleRow()
    const recorded = watch(queue.record(row))
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

  it('that is urgent is written at once and awaited', async () => {
    const { queue, store } = setUpLedgerQueue()
    const row = sampleRow()
    const recorded = watch(queue.record(row, undefined, true))
    expect(recorded.state).toBe('waits')
    await quiet()
    expect(recorded.state).toBe('durable')
    expect(store.rowIds).toEqual([row.id])
  })

  it('that is urgent delays an answer by five seconds at most, and not at all while the store is away', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    store.mode = 'fails'
    const recorded = watch(queue.record(sampleRow(), undefined, true))
    for (let second = 0; second < 5; second += 1) {
      await quiet()
      clock.advance(1_000)
    }
    await quiet()
    expect(recorded.state).not.toBe('waits')
    expect(store.rowIds).toEqual([])
    expect(queue.record(sampleRow(), undefined, true)).toBeUndefined()
  })
})

describe('a live answer', () => {
  it('has a checkpoint in each second with progress, until its row is recorded', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    const intent = sampleIntent()
    await queue.intend(intent)
    let tokens = 0
    const followed = queue.follow(intent.id, () => tokens)
    for (const now of [7, 7, 12]) {
      tokens = now
      clock.advance(1_000)
      await quiet()
    }
    queue.record(sampleRow(intent), followed)
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

  it('repeats its checkpoint after a commit that failed', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
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

describe('an attempt in progress, once the store is back', () => {
  it('has another checkpoint even without progress, so that its store knows that it is alive', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    const [silent, live] = [sampleIntent(), sampleIntent()]
    await Promise.all([queue.intend(silent), queue.intend(live)])
    queue.follow(silent.id, () => 0)
    queue.follow(live.id, () => 7)
    const advance = async () => {
      clock.advance(1_000)
      await quiet()
    }
    await advance()
    queue.retryNow()
    await advance()
    await advance()
    expect(store.batches.flatMap(({ checkpoints }) => checkpoints)).toEqual([
      { id: live.id, outputTokens: 7 },
      { id: live.id, outputTokens: 7 },
      { id: silent.id, outputTokens: 0 },
    ])
  })
})

describe('closing the ledger queue', () => {
  it('writes all pending rows and leaves no timer', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    const rows = Array.from({ length: 5_000 }, () => sampleRow())
    for (const row of rows) queue.record(row)
    queue.follow(sampleIntent().id, () => 1)
    await queue.close()
    expect(store.rowIds).toEqual(rows.map(({ id }) => id))
    expect(clock.pendingTimers).toBe(0)
  })

  it('does not wait for the time between two commits', async () => {
    const { queue, store, clock } = setUpLedgerQueue()
    await queue.intend(sampleIntent())
    const row = sampleRow()
    queue.record(row)
    queue.follow(sampleIntent().id, () => 1)
    const intended = watch(queue.intend(sampleIntent()))
    await quiet()
    expect(intended.state).toBe('waits')
    await queue.close()
    expect(store.rowIds).toEqual([row.id])
    expect(clock.pendingTimers).toBe(0)
  })

  it('ends once, for all that wait for it', async () => {
    const { queue, store } = setUpLedgerQueue()
    store.mode = 'stalls'
    queue.record(sampleRow())
    const closed = [watch(queue.close()), watch(queue.close())]
    await quiet()
    expect(closed.map(({ state }) => state)).toEqual(['waits', 'waits'])
    store.resume()
    await quiet()
    expect(closed.map(({ state }) => state)).toEqual(['durable', 'durable'])
  })

  it('waits for an absent store for as long as the end of the process allows', async () => {
    const { queue, store, clock, dropped } = setUpLedgerQueue()
    store.mode = 'fails'
    const row = sampleRow()
    queue.record(row)
    queue.closeBy(clock.monotonicMs() + 30_000)
    const closed = watch(queue.close())
    for (let second = 0; second < 12; second += 1) {
      await quiet()
      clock.advance(1_000)
    }
    expect(closed.state).toBe('waits')
    store.mode = 'works'
    clock.advance(1_000)
    await quiet()
    await quiet()
    expect([closed.state, dropped()]).toEqual(['durable', 0])
    expect(store.rowIds).toEqual([row.id])
  })

  it('gives up after five seconds on a store that stalls, and reports the lost rows', async () => {
    const { queue, store, clock, dropped, warnings } = setUpLedgerQueue()
    store.mode = 'stalls'
    queue.record(sampleRow())
    const closed = queue.close()
    clock.advance(5_000)
    await closed
    expect(warnings.at(-1)).toContain('the ledger lost 1 rows')
    queue.record(sampleRow())
    expect(dropped()).toBe(2)
  })
})
