import { expect, test } from 'vitest'
import { openLedgerFile } from '../../../../test/support/ledger-file.ts'
import {
  batchOf,
  counted,
  createLedgerRow,
  LEDGER_START_MS,
  nano,
} from '../../../../test/support/ledger-row.ts'
import type { LedgerRow } from '../../../metering/ledger-row.ts'
import { loadLedger } from '../load-ledger.ts'
import { verifyLedger } from '../rows/verify-ledger.ts'

const HOUR_MS = 3_600_000
const day = { windowStartMs: LEDGER_START_MS - 12 * HOUR_MS, windowEndMs: LEDGER_START_MS + 12 * HOUR_MS }
const estimate = createLedgerRow(1, {
  state: 'estimated',
  cost: nano(900),
  charged: nano(1_000),
  counted: [counted('key/a/day', 1_000, day)],
  tags: { team: 'search' },
})

function correctionBy(number: number): LedgerRow {
  const { usage } = estimate
  return {
    ...estimate,
    id: createLedgerRow(number).id,
    state: 'settled',
    cost: nano(-600),
    charged: nano(-700),
    usage: { ...usage, freshInputTokens: -2, cacheReadTokens: 0, outputTokens: 9 },
    counted: [counted('key/a/day', -700, day)],
    flags: { corrects: estimate.id },
  }
}

type LedgerFile = Awaited<ReturnType<typeof openLedgerFile>>

function check({ database }: LedgerFile) {
  const steps = verifyLedger(database, LEDGER_START_MS)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const spentOf = ({ database }: LedgerFile) => loadLedger(database, LEDGER_START_MS).counters
const sumsOf = ({ database }: LedgerFile) =>
  database
    .prepare('select attempts, requests, estimated, cost, charged, fresh_input, output from open_cells')
    .all()

const corrected = {
  attempts: 1,
  requests: 1,
  estimated: 0,
  cost: 300,
  charged: 300,
  fresh_input: 5,
  output: 14,
}

test('a row is corrected once, whichever correction comes first, in one batch or in several', async () => {
  const file = await openLedgerFile()
  file.commit(batchOf({ rows: [estimate, correctionBy(2), correctionBy(3)] }))
  file.commit(
    batchOf({ rows: [correctionBy(4), createLedgerRow(5, { endedAtMs: LEDGER_START_MS + HOUR_MS })] }),
  )
  expect(sumsOf(file)[0]).toEqual(corrected)
  expect(spentOf(file)).toMatchObject([{ counter: 'key/a/day', spent: 300, ...day }])
  expect(check(file)).toMatchObject({ rows: 3, differences: [] })
})

test('a correction changes the window and the hour of its row, however late it comes', async () => {
  const file = await openLedgerFile()
  file.commit(batchOf({ rows: [estimate] }))
  const other = { windowStartMs: day.windowEndMs, windowEndMs: day.windowEndMs + 24 * HOUR_MS }
  const next = createLedgerRow(2, {
    endedAtMs: LEDGER_START_MS + 13 * HOUR_MS,
    counted: [counted('key/a/day', 40, other)],
  })
  file.commit(batchOf({ rows: [next] }))
  file.sealAll(LEDGER_START_MS + 48 * HOUR_MS)
  file.commit(batchOf({ rows: [correctionBy(3)] }))
  expect(spentOf(file).map(({ spent }) => spent)).toEqual([300, 40])
  expect(check(file)).toMatchObject({ rows: 3, differences: [] })
  file.sealAll(LEDGER_START_MS + 48 * HOUR_MS)
  expect(check(file).differences).toEqual([])
})

test('an estimate and its correction expire together, and the ledger still adds up', async () => {
  const file = await openLedgerFile()
  file.commit(batchOf({ rows: [estimate] }))
  file.commit(batchOf({ rows: [createLedgerRow(2, { endedAtMs: LEDGER_START_MS + 2 * HOUR_MS })] }))
  file.commit(batchOf({ rows: [correctionBy(3)] }))
  file.prune({ nowMs: LEDGER_START_MS + 3 * HOUR_MS, keepMs: HOUR_MS, maxBytes: undefined })
  expect(check(file)).toMatchObject({ rows: 1, prunedRows: 2, differences: [] })
  expect(spentOf(file)).toMatchObject([{ spent: 300 }])
})
