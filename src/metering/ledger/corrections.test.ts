import { describe, expect, it } from 'vitest'
import { quiet, setUpLedgerQueue } from '../../../test/support/ledger-queue-scene.ts'
import { createLedgerRow, LEDGER_START_MS, nano } from '../../../test/support/ledger-row.ts'
import { readBudget } from '../../access/limits/budget-schema.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { noUsage, type Usage } from '../../canonical/usage.ts'
import type { PriceVersion, PriceVersionId } from '../../catalog/prices/price.ts'
import { brand } from '../../kit/brand.ts'
import { type Budget, ownBudgetId } from '../budget.ts'
import { BudgetMeter } from '../budgets/budget-meter.ts'
import type { LedgerRow } from '../ledger-row.ts'
import { Corrections, type CorrectionsOptions } from './corrections.ts'

const usage: Usage = { ...noUsage, freshInputTokens: 5, outputTokens: 2 }
const known = { usage, servedTier: undefined }
/** The cost of `usage`. */
const COST = 25_000
const HELD = 90_000

const terms = readBudget({ window: 'day' }, undefined)
const scope = { type: 'key', name: 'ci' } as const
const budget: Budget = {
  ...terms,
  limit: nano(100_000),
  id: ownBudgetId('key', 'a', terms),
  name: 'a',
  scope,
}

/** A ledger with one estimate, of all that was held for it. */
function setUp(different: Partial<LedgerRow> = {}) {
  const scene = setUpLedgerQueue()
  const meter = new BudgetMeter()
  const { store, queue, clock } = scene
  const worst = { fixed: nano(HELD), outputRate: nano(0), maxOutputTokens: 9, minOutput: 1 }
  const asked = { budgets: [{ budget }], worst: { ...worst, canClamp: false, multiplierPpm: 1_000_000 } }
  const held = meter.hold(asked, LEDGER_START_MS)
  if (held.type === 'refused') throw new Error('the budget refuses')
  const counted = held.hold.settle({ cost: nano(HELD), charged: nano(HELD) })
  const amounts = { cost: nano(HELD), charged: nano(HELD), counted }
  const row = createLedgerRow(1, { state: 'estimated', ...amounts, ...different })
  let fault: Error | undefined
  const warned: string[] = []
  const open = (shared: Partial<CorrectionsOptions> = {}) =>
    new Corrections({
      queue,
      meter,
      clock,
      learnOthers: undefined,
      warn: (message: string) => warned.push(message),
      reader: {
        async rowsOf(requestId) {
          if (fault !== undefined) throw fault
          const rows = store.batches.flatMap((batch) => batch.rows)
          return rows.filter((each) => each.requestId === requestId).map((each) => ({ number: 1, row: each }))
        },
      },
      findPrice: (id): PriceVersion | undefined =>
        id !== row.priceVersion || id.includes('unknown')
          ? undefined
          : {
              id,
              effectiveFromMs: 0,
              source: 'table',
              toolCalls: {},
              sheets: [
                { tier: 'standard', aboveInputTokens: 0, rates: { input: nano(1e9), output: nano(10e9) } },
              ],
            },
      ...shared,
    })
  const budgets = [{ counter: String(budget.id), counts: 'charged' as const, isExact: true }]
  return {
    ...scene,
    meter,
    row,
    open,
    charge: { rowId: row.id, requestId: row.requestId, multiplierPpm: 1_000_000, budgets },
    corrections: open(),
    status: () => meter.status({ budget }, LEDGER_START_MS),
    rows: () => store.batches.flatMap((batch) => batch.rows),
    async flush() {
      await quiet()
      clock.advance(100)
      await quiet()
    },
    warned,
    failReader(error: Error | undefined) {
      fault = error
    },
  }
}

type Scene = ReturnType<typeof setUp>

/** The same ledger, its estimate in the store. */
async function setUpWritten(different: Partial<LedgerRow> = {}): Promise<Scene> {
  const scene = setUp(different)
  scene.queue.record(scene.row)
  await scene.flush()
  return scene
}

describe('an estimate whose usage becomes known', () => {
  it('is corrected once, however many readers learn the usage and however often', async () => {
    const { corrections, charge, flush, rows, status } = await setUpWritten()
    const all = Array.from({ length: 5 }, () => corrections.correct(charge, known))
    await flush()
    await Promise.all([...all, corrections.correct(charge, known)])
    expect(rows().map(({ charged, flags }) => [charged, flags.corrects])).toEqual([
      [HELD, undefined],
      [COST - HELD, charge.rowId],
    ])
    expect(status()).toMatchObject({ spent: COST, held: 0 })
  })

  it('is not looked for again once it is corrected', async () => {
    const { corrections, charge, flush, failReader } = await setUpWritten()
    const correcting = corrections.correct(charge, known)
    await flush()
    await correcting
    failReader(new Error('a second look'))
    expect(await corrections.correct(charge, known)).toBe(true)
  })

  it('is corrected once by a process that restarts', async () => {
    const { corrections, open, charge, flush, rows } = await setUpWritten()
    void corrections.correct(charge, known)
    await flush()
    await open().correct(charge, known)
    await flush()
    expect(rows()).toHaveLength(2)
  })

  it('is corrected once another process has written the estimate, without another reading', async () => {
    const { corrections, queue, row, charge, flush, clock, rows } = setUp()
    expect(await corrections.correct(charge, known)).toBe(false)
    // Readers that come meanwhile start no search of their own.
    expect(await corrections.correct(charge, known)).toBe(false)
    queue.record(row)
    await flush()
    clock.advance(1_000)
    await flush()
    expect(rows().map(({ charged }) => charged)).toEqual([HELD, COST - HELD])
  })

  it('gives back to the budget what another process has spent, once this one knows of it', async () => {
    const { open, row, charge, flush, clock, rows } = await setUpWritten()
    const meter = new BudgetMeter({ isShared: true })
    meter.adoptOthers(row.counted.map((each) => ({ ...each, spent: nano(0) })))
    let answers = false
    const learnOthers = async () => {
      if (answers) meter.adoptOthers(row.counted.map((each) => ({ ...each, spent: each.amount })))
      return answers
    }
    expect(await open({ meter, learnOthers }).correct(charge, known)).toBe(false)
    expect(rows()).toHaveLength(1)
    answers = true
    clock.advance(1_000)
    await flush()
    expect(rows()[1]?.counted.map(({ amount }) => amount)).toEqual([COST - HELD])
    expect(meter.status({ budget }, LEDGER_START_MS)).toMatchObject({ spent: COST, held: 0 })
  })

  it('gives back nothing if another process has corrected it first, whose correction the store has', async () => {
    const { open, row, charge, flush } = await setUpWritten()
    const meter = new BudgetMeter({ isShared: true })
    meter.adoptOthers(row.counted.map((each) => ({ ...each, spent: each.amount })))
    const other = createLedgerRow(2, { requestId: row.requestId, flags: { corrects: row.id } })
    const reads = [[row], [row, other]]
    const reader = { rowsOf: async () => (reads.shift() ?? []).map((each) => ({ number: 1, row: each })) }
    const correcting = open({ meter, reader, learnOthers: async () => true }).correct(charge, known)
    await flush()
    expect(await correcting).toBe(true)
    expect(meter.status({ budget }, LEDGER_START_MS)).toMatchObject({ spent: HELD, held: 0 })
  })

  it('is left to the next reading if no process writes the estimate', async () => {
    const { corrections, charge, clock } = setUp()
    await corrections.correct(charge, known)
    for (let second = 0; second < 20; second += 1) {
      clock.advance(1_000)
      await quiet()
    }
    expect(clock.pendingTimers).toBe(0)
  })

  it('is corrected after the estimate, when the estimate is not written yet', async () => {
    const { corrections, queue, row, charge, flush, rows } = setUp()
    queue.record(row)
    void corrections.correct(charge, known)
    await flush()
    expect(rows().map(({ charged }) => charged)).toEqual([HELD, COST - HELD])
  })

  it('holds the reversed amount until the correction is durable', async () => {
    const { corrections, store, charge, flush, status } = await setUpWritten()
    store.mode = 'stalls'
    const correcting = corrections.correct(charge, known)
    await flush()
    expect(status()).toMatchObject({ spent: COST, held: HELD - COST })
    store.resume()
    await correcting
    expect(status()).toMatchObject({ spent: COST, held: 0 })
  })

  it('stays unchanged when the correction will not be written', async () => {
    const { corrections, queue, store, clock, charge, flush, status } = await setUpWritten()
    store.mode = 'fails'
    const correcting = corrections.correct(charge, known)
    await flush()
    const closing = queue.close()
    clock.advance(10_000)
    await Promise.all([closing, correcting])
    expect(status()).toMatchObject({ spent: HELD, held: 0 })
  })

  it('is corrected at the next try when the ledger could not be read', async () => {
    const { corrections, charge, flush, rows, failReader, warned } = await setUpWritten()
    failReader(new GatewayError('report_too_slow'))
    await corrections.correct(charge, known)
    failReader(undefined)
    void corrections.correct(charge, known)
    await flush()
    expect([rows().length, warned]).toEqual([2, []])
  })

  it('stays unchanged, with a warning to the operator, when anything else fails', async () => {
    const { corrections, charge, failReader, warned } = await setUpWritten()
    failReader(new TypeError('no such row'))
    await corrections.correct(charge, known)
    expect(warned).toEqual([`a row of the ledger cannot be corrected, ${charge.rowId}: no such row`])
  })
})

const uncorrected: readonly (readonly [what: string, row: Partial<LedgerRow>, said: Usage])[] = [
  ['a row that is no estimate', { state: 'settled' }, usage],
  [
    'a row whose price is not known any more',
    { priceVersion: brand<PriceVersionId>('openai/unknown@2026-11-01') },
    usage,
  ],
  ['what the provider got wrong', {}, { ...usage, isEstimated: true }],
]
it.each(uncorrected)('no correction is made for %s', async (_, different, said) => {
  const { corrections, charge, rows, flush } = await setUpWritten(different)
  await corrections.correct(charge, { usage: said, servedTier: undefined })
  await flush()
  expect(rows()).toHaveLength(1)
})

it('no correction is made before the attempt has its row', async () => {
  const { corrections, queue, row, charge, rows, flush } = setUp()
  await corrections.correct(charge, known)
  queue.record(row)
  await flush()
  expect(rows()).toHaveLength(1)
  void corrections.correct(charge, known)
  await flush()
  expect(rows()).toHaveLength(2)
})
