import { expect, test } from 'vitest'
import { noUsage } from '../../src/canonical/usage.ts'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import { PostgresLedger } from '../../src/storage/postgres/ledger/ledger-postgres.ts'
import { createPostgresLedgerReader } from '../../src/storage/postgres/ledger/ledger-reader-postgres.ts'
import { createPostgresMeterStore } from '../../src/storage/postgres/ledger/meter-store-postgres.ts'
import { pruneLedger } from '../../src/storage/postgres/ledger/prune-ledger.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { batchOf, counted, createLedgerRow, LEDGER_START_MS, nano } from '../support/ledger-row.ts'
import { nodeDetails, useDatabase } from './open-stores.ts'

const shared = useDatabase()
const HOUR_MS = 3_600_000
const max = Number.MAX_SAFE_INTEGER
/** Rows whose sums pass what a column of PostgreSQL holds. */
const ROWS = 1_100
const COUNTER = 'key/a/total'

async function openLedger() {
  const { database, empty } = shared.current
  await empty()
  const nodes = createPostgresNodes(database)
  const { epoch } = await nodes.join(nodeDetails, {})
  const open = (of: Epoch) => new PostgresLedger({ database, epoch: () => of })
  return { database, nodes, epoch, open, ledger: open(epoch), reader: createPostgresLedgerReader(database) }
}

/** Rows of one cell and one window. */
const rows = Array.from({ length: ROWS }, (_, index) =>
  createLedgerRow(index + 1, {
    startedAtMs: LEDGER_START_MS,
    endedAtMs: LEDGER_START_MS,
    usage: { ...noUsage, outputTokens: max, toolCalls: { web_search: max } },
    cost: nano(max),
    charged: nano(max),
    counted: [counted(COUNTER, max)],
  }),
)

async function writeRows(ledger: PostgresLedger, rowsABatch: number): Promise<void> {
  for (let from = 0; from < ROWS; from += rowsABatch)
    await ledger.commit(batchOf({ rows: rows.slice(from, from + rowsABatch) }))
}

const asked = {
  by: [],
  sinceMs: LEDGER_START_MS - HOUR_MS,
  untilMs: LEDGER_START_MS + HOUR_MS,
  timeZone: 'UTC',
  filter: {},
  order: 'name',
  limit: 10,
} as const

test.each([
  ['in one batch', ROWS],
  ['in many batches', 100],
])('rows whose sums pass what a column holds do not stop the ledger: %s', async (_how, rowsABatch) => {
  const { ledger, reader } = await openLedger()
  await writeRows(ledger, rowsABatch)
  const { totals } = await reader.usage(asked)
  expect(totals.attempts).toBe(ROWS)
  expect(totals.usage.outputTokens).toBeGreaterThanOrEqual(max)
  expect(totals.usage.toolCalls['web_search']).toBeGreaterThanOrEqual(max)
})

test('a window whose sum passes what a column holds is read, leased, ended and continued', async () => {
  const { database, nodes, epoch, open, ledger } = await openLedger()
  await writeRows(ledger, 100)
  const other = await nodes.join({ ...nodeDetails, id: 'b' }, {})
  const meter = createPostgresMeterStore(database)
  const window = { counter: COUNTER, windowStartMs: 0, windowEndMs: undefined }
  const terms = { isRolling: false, ceiling: max, needed: 1, minimum: 1, ahead: 0 }
  await meter.lease(other.epoch, { asks: [{ window, ...terms }], returns: [] })
  await nodes.leave(epoch)
  await nodes.renew(other.epoch, nodeDetails)
  const renumbered = rows.map((row, index) => ({ ...row, id: createLedgerRow(ROWS + index + 1).id }))
  await open(epoch).commit(batchOf({ rows: renumbered }))
  await open(other.epoch).commit(
    batchOf({ rows: [createLedgerRow(9_999, { counted: [counted(COUNTER, 5)] })] }),
  )
  const [state] = (await open(other.epoch).load(LEDGER_START_MS)).counters
  expect(state?.spent).toBeGreaterThanOrEqual(max)
  const [seen] = await meter.readOthers(epoch, [COUNTER])
  expect(seen?.spent).toBeGreaterThanOrEqual(max)
})

test('retention deletes rows whose sums pass what a column holds', async () => {
  const { database, ledger, reader } = await openLedger()
  await writeRows(ledger, 100)
  await pruneLedger(database, { nowMs: LEDGER_START_MS + 2 * HOUR_MS, keepMs: HOUR_MS, maxBytes: undefined })
  expect(await reader.verify(LEDGER_START_MS)).toMatchObject({ rows: 0, prunedRows: ROWS })
})
