import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ledgerRows, renumberRows } from '../../../../test/support/ledger-arbitraries.ts'
import { openLedgerFile } from '../../../../test/support/ledger-file.ts'
import { batchOf, createLedgerRow, LEDGER_START_MS } from '../../../../test/support/ledger-row.ts'
import { RowPager } from './page-rows.ts'
import { RowReader } from './read-row.ts'
import { SubjectIndex } from './subject-index.ts'
import { verifyLedger } from './verify-ledger.ts'

const HOUR_MS = 3_600_000
type LedgerFile = Awaited<ReturnType<typeof openLedgerFile>>

function check({ database }: LedgerFile) {
  const steps = verifyLedger(database, LEDGER_START_MS)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function listRows({ database }: LedgerFile) {
  const subjects = new SubjectIndex(database)
  const pager = new RowPager({ database, subjects, rows: new RowReader(database, subjects) })
  return pager.page({ limit: 1_000, sinceMs: 0 }, () => false).rows.map(({ row }) => row)
}

test('old rows are deleted hour by hour, and the ledger still adds up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(ledgerRows, ledgerRows),
      fc.integer({ min: -45, max: 65 }),
      fc.boolean(),
      async ([before, late], hours, isSealed) => {
        const file = await openLedgerFile()
        file.commit(batchOf({ rows: renumberRows(before, 1) }))
        if (isSealed) file.sealAll(LEDGER_START_MS + 70 * HOUR_MS)
        const cutMs = LEDGER_START_MS + hours * HOUR_MS
        const nowMs = LEDGER_START_MS + 100 * HOUR_MS
        file.prune({ nowMs, keepMs: nowMs - cutMs, maxBytes: undefined })
        const rows = renumberRows(late, 100)
        file.commit(batchOf({ rows }))
        const remaining = renumberRows(before, 1).filter(({ endedAtMs }) => endedAtMs >= cutMs)
        expect(listRows(file)).toEqual([...remaining, ...rows].toReversed())
        expect(check(file)).toMatchObject({
          rows: remaining.length + rows.length,
          prunedRows: before.length - remaining.length,
          differences: [],
        })
        file.prune({ nowMs, keepMs: 0, maxBytes: undefined })
        expect(check(file)).toMatchObject({ rows: 0, differences: [] })
      },
    ),
    { numRuns: 40 },
  )
})

test('rows beyond the size are deleted, the oldest first, except for the hour that is written to', async () => {
  const file = await openLedgerFile()
  const rows = Array.from({ length: 3_000 }, (_, index) =>
    createLedgerRow(index + 1, { endedAtMs: LEDGER_START_MS + index * 10_000 }),
  )
  file.commit(batchOf({ rows }))
  file.sealAll(LEDGER_START_MS + 20 * HOUR_MS)
  const retention = { nowMs: rows.at(-1)?.endedAtMs ?? 0, keepMs: undefined }
  file.prune({ ...retention, maxBytes: 450_000 })
  const some = check(file)
  expect(some.differences).toEqual([])
  expect(some.rows).toBeGreaterThan(500)
  expect(some.rows).toBeLessThan(2_900)
  file.prune({ ...retention, maxBytes: 1 })
  expect(listRows(file).map(({ endedAtMs }) => Math.floor(endedAtMs / HOUR_MS))).toEqual(
    Array.from({ length: 120 }, () => Math.floor(retention.nowMs / HOUR_MS)),
  )
})

test('numbers are not used again after all rows are deleted', async () => {
  const file = await openLedgerFile()
  file.commit(batchOf({ rows: [createLedgerRow(1), createLedgerRow(2)] }))
  file.prune({ nowMs: LEDGER_START_MS + 48 * HOUR_MS, keepMs: 0, maxBytes: undefined })
  file.database.close()
  const again = await openLedgerFile(file.folder)
  again.commit(batchOf({ rows: [createLedgerRow(3)] }))
  expect(again.database.prepare('select number from ledger').all()).toEqual([{ number: 3 }])
})
