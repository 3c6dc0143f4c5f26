import { batchOf, counted, createLedgerRow, LEDGER_START_MS, nano } from '../../support/ledger-row.ts'

export const ROWS_PER_COMMIT = 20
const SECONDS_PER_ROW = 30

/** The rows of a commit: as many keys and models as make it write more than a page or two. */
export function crashBatch(number: number) {
  const rows = Array.from({ length: ROWS_PER_COMMIT }, (_, index) => {
    const row = (number - 1) * ROWS_PER_COMMIT + index + 1
    const endedAtMs = LEDGER_START_MS + row * SECONDS_PER_ROW * 1_000
    return createLedgerRow(row, {
      model: `model-${row % 7}`,
      channel: `channel-${row % 3}`,
      endedAtMs,
      cost: nano(1_000),
      charged: nano(1_000),
      counted: [counted('budget/all', 1_000)],
    })
  })
  return batchOf({ rows })
}
