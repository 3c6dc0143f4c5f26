import { describe, expect, onTestFinished, test } from 'vitest'
import { batchOf, createLedgerRow, LEDGER_START_MS } from '../../../test/support/ledger-row.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { LedgerRow } from '../../metering/ledger-row.ts'
import type { UsageQuery } from '../../metering/usage-query.ts'
import { openLedger } from './open-ledger.ts'
import { createLedgerReader, type LedgerReaderOptions } from './open-ledger-reader.ts'

const DAY_MS = 86_400_000
const startMs = Math.floor(LEDGER_START_MS / DAY_MS) * DAY_MS
const all: UsageQuery = {
  by: [],
  sinceMs: startMs - 365 * DAY_MS,
  untilMs: startMs + 365 * DAY_MS,
  timeZone: 'UTC',
  filter: {},
  order: 'name',
  limit: 10_000,
}

async function openReader(rows: readonly LedgerRow[], options?: LedgerReaderOptions) {
  const dataFolder = makeTemporaryFolder()
  const ledger = await openLedger({ dataFolder, onDiskFault: () => undefined })
  onTestFinished(() => ledger.close())
  await ledger.commit(batchOf({ rows }))
  const reader = createLedgerReader(dataFolder, options)
  onTestFinished(() => reader.close())
  return reader
}

function rowsOfDays(days: number): readonly LedgerRow[] {
  return Array.from({ length: days }, (_, day) =>
    createLedgerRow(day + 1, { endedAtMs: startMs + day * DAY_MS }),
  )
}

describe('a reader of the ledger', () => {
  test('answers while it reads ahead, and afterwards', async () => {
    const reader = await openReader(rowsOfDays(90), { largeBytes: 0 })
    const ahead = reader.readAhead()
    const meanwhile = await reader.usage(all)
    await ahead
    const afterwards = await reader.usage(all)
    expect([meanwhile.totals.attempts, afterwards.totals.attempts]).toEqual([90, 90])
  })

  test('reads nothing ahead of an empty ledger', async () => {
    const reader = await openReader([], { largeBytes: 0 })
    await reader.readAhead()
    expect((await reader.usage(all)).totals.attempts).toBe(0)
  })

  test('can be closed while it reads ahead', async () => {
    const reader = await openReader(rowsOfDays(90), { largeBytes: 0 })
    await reader.rowsOf('')
    const ahead = reader.readAhead()
    // Asked of the thread by then.
    await Promise.resolve().then(() => undefined)
    await reader.close()
    await expect(ahead).resolves.toBeUndefined()
  })

  test('can be closed while its thread starts to read ahead', async () => {
    const reader = await openReader(rowsOfDays(1), { largeBytes: 0 })
    const ahead = reader.readAhead()
    await reader.close()
    await expect(ahead).resolves.toBeUndefined()
  })

  test('fails a report that needs more memory than its thread may use, and starts again for the next', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) =>
      createLedgerRow(index + 1, { tags: { text: `${index} ${'x'.repeat(20_000)}` } }),
    )
    const reader = await openReader(rows, { memory: { maxOldGenerationSizeMb: 24 } })
    await expect(reader.usage({ ...all, by: ['tag:text'] })).rejects.toMatchObject({
      failure: { code: 'store_unavailable' },
    })
    expect((await reader.usage(all)).totals.attempts).toBe(3_000)
  })
})
