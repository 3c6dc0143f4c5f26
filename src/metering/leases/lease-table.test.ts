import { expect, test } from 'vitest'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { BudgetId } from '../budget.ts'
import { LeaseTable } from './lease-table.ts'

const DAY_END_MS = 1_000
const budget = brand<BudgetId>('key/key_1/end_user/day')

function load(table: LeaseTable, counter: string, spent: number, windowEndMs = DAY_END_MS): void {
  table.load({ counter, windowStartMs: 0, windowEndMs, spent: brand<NanoDollars>(spent) })
}

test('the values of a budget that spent the most come first, with what live processes have spent', async () => {
  const table = new LeaseTable(() => DAY_END_MS - 1)
  load(table, `${budget}=ann`, 10)
  load(table, `${budget}=bob`, 5)
  load(table, `${budget}=eve`, 1)
  load(table, 'key/key_2/end_user/day=dan', 100)
  const key = { counter: `${budget}=bob`, windowStartMs: 0, windowEndMs: DAY_END_MS }
  table.count(table.begin(), { ...key, amount: 7, held: 0 })
  expect(await table.findTopValues(budget, 2)).toEqual([`${budget}=bob`, `${budget}=ann`])
})

test('a value whose windows have all ended, or that spent nothing, is not listed', async () => {
  const table = new LeaseTable(() => DAY_END_MS)
  load(table, `${budget}=ann`, 10)
  load(table, `${budget}=bob`, 0, 2 * DAY_END_MS)
  expect(await table.findTopValues(budget, 2)).toEqual([])
})

test('a search through many values gives the event loop turns, and finds the highest of all', async () => {
  const table = new LeaseTable(() => 0)
  for (let value = 1; value <= 5_000; value += 1) load(table, `${budget}=${value}`, value)
  let turns = 0
  const search = table.findTopValues(budget, 2)
  const turn = setImmediate(() => {
    turns += 1
  })
  expect(await search).toEqual([`${budget}=5000`, `${budget}=4999`])
  clearImmediate(turn)
  expect(turns).toBe(1)
})
