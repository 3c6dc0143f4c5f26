import { expect, it } from 'vitest'
import { readBudget } from '../../access/limits/budget-schema.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { Budget, BudgetId } from '../budget.ts'
import { CounterTable, OVERFLOW_VALUE } from './counter-table.ts'

const noon = Date.parse('2026-11-23T12:00:00Z')
const DAY_MS = 86_400_000
const budget: Budget = {
  ...readBudget({ window: 'day' }, undefined),
  id: brand<BudgetId>('tag:end_user/each/day'),
  name: 'each',
  scope: { type: 'tag', name: 'end_user', value: undefined },
}

function spend(table: CounterTable, tagValue: string, nowMs: number): string {
  const counter = table.getOrCreate({ budget, tagValue }, nowMs)
  const sum = counter.advanceTo(budget.window, nowMs)
  counter.hold(sum, 1)
  counter.settle(sum, { held: 1, amount: 1 })
  return counter.id
}

it('counters with ended windows are removed, even while new values keep coming', () => {
  const table = new CounterTable()
  let maxSize = 0
  for (let day = 0; day < 50; day += 1)
    for (let value = 0; value < 200; value += 1) {
      spend(table, `${day}/${value}`, noon + day * DAY_MS)
      maxSize = Math.max(maxSize, table.size)
    }
  expect(maxSize).toBeLessThan(500)
})

it('a full table has room for new values once the windows of other values have ended', () => {
  const table = new CounterTable({ valuesOfOne: 100 })
  for (let value = 0; value < 100; value += 1) spend(table, String(value), noon)
  expect(spend(table, 'new', noon)).toBe(`${budget.id}=${OVERFLOW_VALUE}`)
  expect(spend(table, 'new', noon + DAY_MS)).toBe(`${budget.id}=new`)
})

it('values share a counter when all budgets together use too many counters', () => {
  const table = new CounterTable({ counters: 10 })
  for (let value = 0; value < 10; value += 1) spend(table, String(value), noon)
  expect(spend(table, 'new', noon)).toBe(`${budget.id}=${OVERFLOW_VALUE}`)
})

it('a counter stays while it has an open hold', () => {
  const table = new CounterTable()
  const counter = table.getOrCreate({ budget }, noon)
  counter.hold(counter.advanceTo(budget.window, noon), 0)
  for (let value = 0; value < 100; value += 1) spend(table, String(value), noon)
  expect(table.getOrCreate({ budget }, noon)).toBe(counter)
})

it('a counter finds the amounts that the ledger recorded for it', () => {
  const table = new CounterTable()
  const window = { windowStartMs: Date.parse('2026-11-23'), windowEndMs: Date.parse('2026-11-24') }
  table.load({ counter: `${budget.id}=a%2Fb`, ...window, spent: brand<NanoDollars>(7) })
  const counter = table.getOrCreate({ budget, tagValue: 'a/b' }, noon)
  counter.advanceTo(budget.window, noon)
  expect(counter.spent).toBe(7)
})
