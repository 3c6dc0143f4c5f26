import { expect, it } from 'vitest'
import { RetryBudget } from './retry-budget.ts'

function countGranted(budget: RetryBudget, asked: number): number {
  return Array.from({ length: asked }, () => budget.tryWithdraw('further', 1_000)).filter(Boolean).length
}

it('a tenth of the requests may be retried, and a minimum always may', () => {
  const budget = new RetryBudget()
  expect(countGranted(budget, 50)).toBe(10)
  for (let count = 0; count < 1_000; count += 1) budget.addRequest(1_000)
  expect(countGranted(budget, 500)).toBe(90)
})

it('a first call elsewhere is always granted, and uses up the budget for retries', () => {
  const budget = new RetryBudget()
  for (let count = 0; count < 100; count += 1) expect(budget.tryWithdraw('failover', 1_000)).toBe(true)
  expect(countGranted(budget, 1)).toBe(0)
  expect(budget.tryWithdraw('further', 12_000)).toBe(true)
})
