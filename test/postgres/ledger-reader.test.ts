import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brand } from '../../src/kit/brand.ts'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import type { UsageDimension, UsageQuery } from '../../src/metering/usage-query.ts'
import { CellReader } from '../../src/storage/ledger/cells/cell-reader.ts'
import { queryUsage } from '../../src/storage/ledger/cells/query-usage.ts'
import { SubjectIndex } from '../../src/storage/ledger/rows/subject-index.ts'
import { PostgresLedger } from '../../src/storage/postgres/ledger/ledger-postgres.ts'
import { createPostgresLedgerReader } from '../../src/storage/postgres/ledger/ledger-reader-postgres.ts'
import { pruneLedger } from '../../src/storage/postgres/ledger/prune-ledger.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { ledgerRows, renumberRows, subjectFilter } from '../support/ledger-arbitraries.ts'
import { openLedgerFile } from '../support/ledger-file.ts'
import { batchOf, counted, createLedgerRow, LEDGER_START_MS } from '../support/ledger-row.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()
const details = {
  id: 'a',
  version: '0',
  fileFingerprint: '',
  leases: 0,
  streams: 0,
  draining: false,
  ready: true,
  clockAheadMs: 0,
}
const QUARTER_MS = 900_000

async function openLedger() {
  const { database, empty } = shared.current
  await empty()
  const nodes = createPostgresNodes(database)
  const epochs: Epoch[] = []
  for (let count = 0; count < 2; count += 1) epochs.push((await nodes.join(details, {})).epoch)
  let current = 0
  const ledger = new PostgresLedger({ database, epoch: () => epochs[current % 2] ?? brand<Epoch>(0) })
  return {
    reader: createPostgresLedgerReader(database),
    async write(batch: Parameters<PostgresLedger['commit']>[0]) {
      await ledger.commit(batch)
      // The next batch comes from another node.
      current += 1
    },
  }
}

const dimension = fc.constantFrom<UsageDimension>(
  'key',
  'user',
  'group',
  'model',
  'channel',
  'month',
  'day',
  'hour',
  'tag:team',
)
const query = fc.record({
  by: fc.uniqueArray(dimension, { maxLength: 3 }),
  since: fc.integer({ min: -45 * 4, max: 10 * 4 }),
  quarters: fc.integer({ min: 0, max: 110 * 4 }),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
  filter: subjectFilter,
  order: fc.constantFrom('name' as const, 'cost' as const),
  limit: fc.integer({ min: 1, max: 5 }),
})

test('usage is reported as by the embedded ledger, page by page, whichever node wrote it', async () => {
  const folder = makeTemporaryFolder()
  await fc.assert(
    fc.asyncProperty(ledgerRows, fc.array(query, { minLength: 3, maxLength: 3 }), async (rows, queries) => {
      const all = renumberRows(rows, 1)
      const { reader, write } = await openLedger()
      const file = await openLedgerFile(mkdtempSync(join(folder, 'ledger-')))
      for (const row of all) {
        await write(batchOf({ rows: [row] }))
        file.commit(batchOf({ rows: [row] }))
      }
      const embedded = {
        cells: new CellReader(file.database),
        subjects: new SubjectIndex(file.database),
        checkTime: () => undefined,
      }
      for (const { since, quarters, ...parts } of queries) {
        const sinceMs = LEDGER_START_MS + since * QUARTER_MS
        let asked: UsageQuery = { ...parts, sinceMs, untilMs: sinceMs + quarters * QUARTER_MS }
        for (let pages = 0; pages < 20; pages += 1) {
          const expected = queryUsage(asked, embedded)
          const page = await reader.usage(asked)
          expect(page).toEqual(expected)
          const last = page.groups.at(-1)
          if (!page.hasMore || last === undefined) break
          asked = { ...asked, after: { names: last.names, cost: last.cost } }
        }
      }
      expect((await reader.verify(0)).differences).toEqual([])
    }),
    { numRuns: 6 },
  )
})

test('rows are read as they were written, newest first, and are deleted once they are too old', async () => {
  const { reader, write } = await openLedger()
  const rows = [1, 2, 3].map((number) =>
    createLedgerRow(number, {
      tags: { team: number === 2 ? 'b' : 'a' },
      counted: [counted('all', 5)],
      endedAtMs: LEDGER_START_MS + number * 1_000,
      ...(number === 3 && { flags: { failed: true, clamped: true } }),
    }),
  )
  for (const row of rows) await write(batchOf({ rows: [row] }))
  const first = await reader.rows({ limit: 2 })
  expect(first.rows.map(({ row }) => row)).toEqual([rows[2], rows[1]])
  const second = await reader.rows({ limit: 2, before: first.next })
  expect([second.rows.map(({ row }) => row), second.next]).toEqual([[rows[0]], undefined])
  expect((await reader.rows({ limit: 9, tags: { team: 'b' } })).rows.map(({ row }) => row)).toEqual([rows[1]])
  expect((await reader.rowsOf(rows[0]?.requestId ?? '')).map(({ row }) => row)).toEqual([rows[0]])
  const lines: string[] = []
  for await (const chunk of reader.export({ format: 'jsonl' }))
    lines.push(...chunk.toString().trim().split('\n'))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ number: 1 }, { number: 2 }, { number: 3 }])
  const retention = { nowMs: LEDGER_START_MS + 3_000, keepMs: 500, maxBytes: undefined }
  expect(await pruneLedger(shared.current.database, retention)).toEqual({ hasMore: false })
  expect((await reader.rows({ limit: 9 })).rows).toHaveLength(1)
  expect(await reader.verify(0)).toMatchObject({ rows: 1, prunedRows: 2, differences: [] })
})
