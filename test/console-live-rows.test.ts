import { expect, it } from 'vitest'
import { addRows, noLiveRows } from '../console/src/pages/requests/live-rows.ts'
import type { RequestSummaryView } from '../src/admin/requests/request-contract.ts'

const rowsTo = (newest: number, count: number): readonly RequestSummaryView[] =>
  Array.from({ length: count }, (_, index) => JSON.parse(`{"id":${newest - index}}`))

it('a poll that has all new rows cuts nothing, whatever gaps their IDs have', () => {
  const live = addRows(noLiveRows, { data: rowsTo(9_000_000, 500), has_more: false })
  expect(live.isCut).toBe(false)
})

it('a list is cut from the first poll on that has not all new rows', () => {
  const cut = addRows(noLiveRows, { data: rowsTo(1_000, 500), has_more: true })
  expect(cut.isCut).toBe(true)
  expect(addRows(cut, { data: rowsTo(1_001, 1), has_more: false }).isCut).toBe(true)
})

it('the newest rows stay, and the list is cut where others are dropped for them', () => {
  let live = noLiveRows
  const add = (newest: number) => {
    live = addRows(live, { data: rowsTo(newest, 500), has_more: false })
  }
  for (let newest = 500; newest <= 2_000; newest += 500) add(newest)
  expect(live.isCut).toBe(false)
  add(2_500)
  expect(live.isCut).toBe(true)
  expect(live.rows).toHaveLength(2_000)
  expect(live.rows[0]?.id).toBe(2_500)
  expect(live.rows.at(-1)?.id).toBe(501)
})
