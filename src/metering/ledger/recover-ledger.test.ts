import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createLedgerIntent, nano } from '../../../test/support/ledger-row.ts'
import type { PriceVersion, PriceVersionId } from '../../catalog/prices/price.ts'
import { brand } from '../../kit/brand.ts'
import type { CountedSum } from '../budget.ts'
import type { HeldAmount, LedgerIntent, LedgerRow } from '../ledger-row.ts'
import type { CounterState, LedgerStore, OpenIntent } from '../ledger-store.ts'
import { recoverLedger } from './recover-ledger.ts'
import { settleOrphan } from './settle-orphan.ts'

const version = brand<PriceVersionId>('openai/gpt@2026-11-01')
/** 1,000 nano-dollars an input token, 10,000 an output token. */
const price: PriceVersion = {
  id: version,
  effectiveFromMs: 0,
  source: 'table',
  sheets: [{ tier: 'standard', aboveInputTokens: 0, rates: { input: nano(1e9), output: nano(10e9) } }],
  toolCalls: {},
}

function held(counts: CountedSum, amount: number, counter = `budget/${counts}`): HeldAmount {
  return { counts, counter, windowStartMs: 0, windowEndMs: undefined, amount: nano(amount) }
}

function settle(intent: Partial<LedgerIntent>, outputTokens = 0, isKnown = true) {
  const open = { intent: createLedgerIntent(1, intent), outputTokens }
  return settleOrphan(open, { price: isKnown ? price : undefined, nowMs: 5 })
}

describe('an attempt that a crash interrupted', () => {
  it('is settled as an estimate, with its input and the output of its last checkpoint', () => {
    const row = settle({ inputTokens: 7, held: [held('charged', 1_000_000)] }, 3)
    expect(row).toMatchObject({
      state: 'estimated',
      flags: { orphaned: true },
      endedAtMs: 5,
      usage: { freshInputTokens: 7, outputTokens: 3, isEstimated: true },
      cost: 37_000,
      charged: 37_000,
    })
    expect(row).not.toHaveProperty('held')
  })

  it('charges its caller by the multiplier, and adds to each budget the charge or the cost', () => {
    const row = settle({
      inputTokens: 7,
      multiplierPpm: 1_100_001,
      held: [held('charged', 1_000_000), held('cost', 900_000)],
    })
    expect([row.cost, row.charged]).toEqual([7_000, 7_701])
    expect(row.counted.map(({ counter, amount }) => [counter, amount])).toEqual([
      ['budget/charged', 7_701],
      ['budget/cost', 7_000],
    ])
  })

  it('keeps its true cost, but charges and counts no more than the held amount', () => {
    const row = settle({ inputTokens: 7, held: [held('charged', 6_000), held('cost', 5_000)] })
    expect([row.cost, row.charged]).toEqual([7_000, 6_000])
    expect(row.counted.map(({ amount }) => amount)).toEqual([6_000, 5_000])
  })

  it('adds the full amount to budgets without a hold', () => {
    const row = settle({
      inputTokens: 7,
      held: [held('charged', 0), held('charged', 6_000), held('cost', 0)],
    })
    expect([row.cost, row.charged]).toEqual([7_000, 6_000])
    expect(row.counted.map(({ amount }) => amount)).toEqual([6_000, 6_000, 7_000])
  })

  it('is settled at the held amount when the version of its price is unknown', () => {
    const both = settle(
      { held: [held('charged', 1_100), held('cost', 1_000)], multiplierPpm: 1_100_000 },
      3,
      false,
    )
    expect([both.cost, both.charged]).toEqual([1_000, 1_100])
    const caller = settle({ held: [held('charged', 1_100)], multiplierPpm: 1_100_000 }, 3, false)
    expect([caller.cost, caller.charged]).toEqual([1_000, 1_100])
    const provider = settle({ held: [held('cost', 1_000)], multiplierPpm: 1_100_000 }, 3, false)
    expect([provider.cost, provider.charged]).toEqual([1_000, 1_100])
  })

  it('is settled at the held amount when its model is billed by images, seconds or characters', () => {
    const rates = { input: nano(0), output: nano(0) }
    const sheets = [{ tier: 'standard', aboveInputTokens: 0, rates }] as const
    const byImage: PriceVersion = { ...price, sheets, toolCalls: { image: nano(40e12) } }
    const settleByImage = (intent: Partial<LedgerIntent>) => {
      const { cost, charged } = settleOrphan(
        { intent: createLedgerIntent(1, intent), outputTokens: 0 },
        { price: byImage, nowMs: 5 },
      )
      return [cost, charged]
    }
    expect(settleByImage({ inputTokens: 7, held: [held('charged', 80_000_000)] })).toEqual([
      80_000_000, 80_000_000,
    ])
    // A session holds the cost of a response ahead, before there is any input.
    expect(settleByImage({ inputTokens: 0, held: [held('charged', 80_000_000)] })).toEqual([0, 0])
  })

  it('costs the maximum if its usage is not visible before its end, and nothing if it was not made yet', () => {
    const settleUnseen = (isAhead: boolean, outputTokens: number) => {
      const unseen = { cost: nano(900), charged: nano(1_000), isAhead }
      const { usage, cost, charged, flags } = settle({ inputTokens: 0, unseen }, outputTokens)
      return { cost, charged, isMissing: flags.usageMissing === true, outputTokens: usage.outputTokens }
    }
    const all = { cost: 900, charged: 1_000, isMissing: true, outputTokens: 0 }
    expect(settleUnseen(false, 0)).toEqual(all)
    expect(settleUnseen(true, 1)).toEqual(all)
    expect(settleUnseen(true, 0)).toEqual({ cost: 0, charged: 0, isMissing: false, outputTokens: 0 })
  })

  it('costs nothing when its model had no price', () => {
    const row = settle({ priceVersion: undefined }, 3, false)
    expect([row.cost, row.charged, row.flags]).toEqual([0, 0, { orphaned: true, unpriced: true }])
  })

  it('never adds more to a budget than the amount held there', () => {
    const amounts = fc.record({
      charged: fc.integer({ min: 1, max: 1e9 }),
      cost: fc.integer({ min: 1, max: 1e9 }),
      inputTokens: fc.nat(1e6),
      outputTokens: fc.nat(1e6),
      multiplierPpm: fc.nat(3_000_000),
      isKnown: fc.boolean(),
    })
    fc.assert(
      fc.property(amounts, ({ charged, cost, inputTokens, outputTokens, multiplierPpm, isKnown }) => {
        const intent = { held: [held('charged', charged), held('cost', cost)], inputTokens, multiplierPpm }
        const row = settle(intent, outputTokens, isKnown)
        expect(row.counted[0]?.amount).toBeLessThanOrEqual(charged)
        expect(row.counted[1]?.amount).toBeLessThanOrEqual(cost)
        expect(row.charged).toBeLessThanOrEqual(charged)
        expect(Number.isSafeInteger(row.cost)).toBe(true)
      }),
    )
  })
})

class TestStore implements LedgerStore {
  readonly counters: readonly CounterState[]
  readonly open: readonly OpenIntent[]
  readonly rows: LedgerRow[] = []
  isAway = false

  constructor(counters: readonly CounterState[], open: readonly OpenIntent[]) {
    this.counters = counters
    this.open = open
  }

  async load() {
    return { counters: this.counters, openIntents: this.open }
  }

  async commit({ rows }: Parameters<LedgerStore['commit']>[0]) {
    if (this.isAway) throw new Error('away')
    this.rows.push(...rows)
  }
}

describe('a start after a crash', () => {
  const counter = (name: string, spent: number): CounterState => ({
    counter: name,
    windowStartMs: 0,
    windowEndMs: undefined,
    spent: nano(spent),
  })
  const openIntent = (number: number, counters: readonly string[]): OpenIntent => ({
    intent: createLedgerIntent(number, {
      inputTokens: 1,
      held: counters.map((name) => held('charged', 1_000_000, name)),
      priceVersion: version,
    }),
    outputTokens: 0,
  })
  const recover = (store: LedgerStore) =>
    recoverLedger({
      store,
      clock: createFakeClock(),
      findPrice: (id) => (id === version ? price : undefined),
    })

  it('settles every open intent and adds it to the windows', async () => {
    const store = new TestStore(
      [counter('a', 50), counter('b', 60)],
      [openIntent(1, ['a']), openIntent(2, ['a', 'c'])],
    )
    const { counters, orphans } = await recover(store)
    expect(orphans).toBe(2)
    expect(store.rows.map(({ id }) => id)).toEqual(store.open.map(({ intent }) => intent.id))
    expect(Object.fromEntries(counters.map(({ counter: name, spent }) => [name, spent]))).toEqual({
      a: 2_050,
      b: 60,
      c: 1_000,
    })
  })

  it('fails unless all of its rows are durable', async () => {
    const store = new TestStore([], [openIntent(1, ['a'])])
    store.isAway = true
    await expect(recover(store)).rejects.toThrow('away')
  })

  it('settles thousands of intents in several commits', async () => {
    const store = new TestStore(
      [],
      Array.from({ length: 2_500 }, (_, index) => openIntent(index + 1, ['a'])),
    )
    const { counters } = await recover(store)
    expect(store.rows).toHaveLength(2_500)
    expect(counters).toEqual([counter('a', 2_500_000)])
  })
})
