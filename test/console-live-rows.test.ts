import { expect, it } from 'vitest'
import { addRows, countUnread, MAX_NEW_ROWS, noLiveRows } from '../console/src/pages/requests/live-rows.ts'
import type { RequestSummaryView } from '../src/admin/requests/request-contract.ts'

const rowsTo = (newest: number, count: number): readonly RequestSummaryView[] =>
  Array.from({ length: count }, (_, index) => JSON.parse(`{"id":${newest - index}}`))

it('a poll that reaches the last known row skips nothing', () => {
  expect(countUnread(rowsTo(120, 20), 100)).toBe(0)
  expect(countUnread(rowsTo(100 + MAX_NEW_ROWS, MAX_NEW_ROWS), 100)).toBe(0)
})

it('the rows between the last one and a full page are counted', () => {
  expect(countUnread(rowsTo(100 + MAX_NEW_ROWS + 30, MAX_NEW_ROWS), 100)).toBe(30)
})

it('the newest rows stay, and the rows dropped for them are counted', () => {
  let live = noLiveRows
  for (let newest = 500; newest <= 3_000; newest += 500) live = addRows(live, rowsTo(newest, 500), 0)
  expect(live.rows).toHaveLength(2_000)
  expect(live.rows[0]?.id).toBe(3_000)
  expect(live.rows.at(-1)?.id).toBe(1_001)
  expect(live.skipped).toBe(1_000)
})
