import { expect, test } from 'vitest'
import { openLedgerFile } from '../../../../test/support/ledger-file.ts'
import {
  batchOf,
  counted,
  createLedgerRow,
  LEDGER_START_MS,
  nano,
} from '../../../../test/support/ledger-row.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { CellReader } from '../cells/cell-reader.ts'
import { queryUsage } from '../cells/query-usage.ts'
import { CellSealer } from '../cells/seal-cells.ts'
import { SubjectIndex } from '../rows/subject-index.ts'

const HOUR_MS = 3_600_000
const max = Number.MAX_SAFE_INTEGER
const total = { windowStartMs: 0, windowEndMs: undefined }

/** Rows of one cell and one window. */
function createRows(count: number, usage: Partial<Usage>, cost = 0) {
  return Array.from({ length: count }, (_, index) =>
    createLedgerRow(index + 1, {
      startedAtMs: LEDGER_START_MS,
      endedAtMs: LEDGER_START_MS,
      usage: { ...noUsage, ...usage },
      cost: nano(cost),
      counted: [counted('key/a/total', cost, total)],
    }),
  )
}

/** The totals of all usage. */
function totalsOf({ database }: Awaited<ReturnType<typeof openLedgerFile>>) {
  const source = { cells: new CellReader(database), subjects: new SubjectIndex(database) }
  const asked = {
    by: [],
    sinceMs: LEDGER_START_MS - HOUR_MS,
    untilMs: LEDGER_START_MS + HOUR_MS,
    timeZone: 'UTC',
    filter: {},
    order: 'name',
    limit: 10,
  } as const
  return queryUsage(asked, { ...source, checkTime: () => undefined }).totals
}

test.each([
  ['in one batch', 1_100],
  ['in many batches', 100],
])('rows whose sums exceed the range of a column do not stop the ledger: %s', async (_how, rowsABatch) => {
  const file = await openLedgerFile()
  const rows = createRows(1_100, { outputTokens: max, toolCalls: { web_search: max } }, max)
  for (let from = 0; from < rows.length; from += rowsABatch)
    file.commit(batchOf({ rows: rows.slice(from, from + rowsABatch) }))
  expect(totalsOf(file)).toMatchObject({ attempts: 1_100, usage: { outputTokens: max } })
})

test('a number of calls that is not an integer does not stop the ledger', async () => {
  const file = await openLedgerFile()
  const counts = [Number.POSITIVE_INFINITY, Number.NaN, 2.5]
  for (const [index, count] of counts.entries())
    file.commit(
      batchOf({ rows: [createLedgerRow(index + 1, { usage: { ...noUsage, toolCalls: { t: count } } })] }),
    )
  expect(totalsOf(file).attempts).toBe(3)
})

test('calls whose sum exceeds the range of a number are reported, before and after their hour is sealed', async () => {
  const file = await openLedgerFile()
  file.commit(batchOf({ rows: createRows(3, { toolCalls: { web_search: max } }) }))
  expect(totalsOf(file).usage.toolCalls['web_search']).toBe(max)
  const sealer = new CellSealer(file.database)
  while (sealer.sealSome(LEDGER_START_MS + 2 * HOUR_MS).hasMore);
  expect(totalsOf(file).usage.toolCalls['web_search']).toBe(max)
})
