import { expect, test } from 'vitest'
import { GatewayError } from '../../src/canonical/failure.ts'
import type { LedgerStore } from '../../src/metering/ledger-store.ts'
import {
  batchOf,
  counted,
  createLedgerIntent,
  createLedgerRow,
  LEDGER_START_MS,
  nano,
  rowId,
} from '../support/ledger-row.ts'

/** The contract of every store of the ledger. `open` gives an empty one; `reopen` what another process would find. */
export function testLedgerStore(
  open: () => Promise<{ store: LedgerStore; reopen: () => Promise<LedgerStore> }>,
): void {
  const hourly = { windowStartMs: LEDGER_START_MS, windowEndMs: LEDGER_START_MS + 3_600_000 }

  test('gives another process what each window has come to', async () => {
    const { store, reopen } = await open()
    const row = (number: number) =>
      createLedgerRow(number, {
        counted: [counted('key/a/hour', 1_100, hourly), counted('budget/all', 1_000)],
      })
    await store.commit(batchOf({ rows: [row(1), row(2)] }))
    await store.commit(batchOf({ rows: [row(3)] }))
    const { counters, openIntents } = await (await reopen()).load(LEDGER_START_MS)
    expect(counters.toSorted((one, other) => other.spent - one.spent)).toEqual([
      { counter: 'key/a/hour', ...hourly, spent: 3_300 },
      { counter: 'budget/all', windowStartMs: 0, windowEndMs: undefined, spent: 3_000 },
    ])
    expect(openIntents).toEqual([])
  })

  test('does not load a window that is over', async () => {
    const { store } = await open()
    await store.commit(batchOf({ rows: [createLedgerRow(1, { counted: [counted('a', 5, hourly)] })] }))
    expect((await store.load(hourly.windowEndMs - 1)).counters).toHaveLength(1)
    expect((await store.load(hourly.windowEndMs)).counters).toEqual([])
  })

  test('writes a row once, however often it comes', async () => {
    const { store, reopen } = await open()
    const row = createLedgerRow(1, { counted: [counted('a', 5)] })
    await store.commit(batchOf({ rows: [row, row] }))
    await store.commit(batchOf({ rows: [row] }))
    const later = await reopen()
    await later.commit(batchOf({ rows: [row] }))
    expect((await later.load(LEDGER_START_MS)).counters).toMatchObject([{ counter: 'a', spent: 5 }])
  })

  test('gives another process the intents without a row, as they were, with their last checkpoint', async () => {
    const { store, reopen } = await open()
    const intent = createLedgerIntent(1, {
      userName: 'user_1',
      group: 'search',
      tags: { team: 'a', area: 'b' },
      attempt: 2,
      priceVersion: undefined,
      multiplierPpm: 1_100_000,
      held: [
        { ...counted('key/a/hour', 70_000, hourly), counts: 'charged' },
        { ...counted('all', 0), counts: 'cost' },
      ],
      unseen: { cost: nano(63_637), charged: nano(70_000), isAhead: true },
    })
    await store.commit(batchOf({ intents: [intent, createLedgerIntent(2)] }))
    await store.commit(batchOf({ checkpoints: [{ id: rowId(1), outputTokens: 40 }] }))
    await store.commit(
      batchOf({ checkpoints: [{ id: rowId(1), outputTokens: 30 }], rows: [createLedgerRow(2)] }),
    )
    const { openIntents, counters } = await (await reopen()).load(LEDGER_START_MS)
    expect(openIntents).toEqual([{ intent, outputTokens: 40 }])
    expect(counters.map(({ spent }) => spent)).toEqual([0, 0])
  })

  test('takes no intent of an attempt that has its row, in whichever order they come', async () => {
    const { store, reopen } = await open()
    await store.commit(batchOf({ intents: [createLedgerIntent(1)], rows: [createLedgerRow(1)] }))
    await store.commit(batchOf({ intents: [createLedgerIntent(1)] }))
    expect((await (await reopen()).load(LEDGER_START_MS)).openIntents).toEqual([])
  })

  test('ends an intent of the process before with its row', async () => {
    const { store, reopen } = await open()
    await store.commit(batchOf({ intents: [createLedgerIntent(1)] }))
    const later = await reopen()
    await later.commit(
      batchOf({ rows: [createLedgerRow(1, { state: 'estimated', flags: { orphaned: true } })] }),
    )
    expect((await later.load(LEDGER_START_MS)).openIntents).toEqual([])
  })

  test('keeps nothing of an empty batch', async () => {
    const { store, reopen } = await open()
    const intent = createLedgerIntent(1)
    await store.commit(batchOf({}))
    await store.commit(batchOf({ intents: [intent] }))
    await store.commit(batchOf({}))
    const { openIntents } = await (await reopen()).load(LEDGER_START_MS)
    expect(openIntents.map(({ intent: { id } }) => id)).toEqual([intent.id])
  })

  test('writes what is no whole number as the nearest one, and refuses no batch for it', async () => {
    const { store } = await open()
    const amounts = [counted('a', 1.4), counted('a', Number.NaN), counted('a', 10)]
    await store.commit(batchOf({ rows: [createLedgerRow(1, { counted: amounts })] }))
    expect((await store.load(LEDGER_START_MS)).counters).toMatchObject([{ spent: 11 }])
  })

  test('fails with store_unavailable once it is closed', async () => {
    const { store, reopen } = await open()
    await reopen()
    const error = await store
      .commit(batchOf({ rows: [createLedgerRow(1)] }))
      .catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({ failure: { code: 'store_unavailable' } })
  })
}
