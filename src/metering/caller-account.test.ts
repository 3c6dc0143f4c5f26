import { expect, it } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { openCaller } from '../../test/support/key-terms.ts'
import { nano } from '../../test/support/ledger-row.ts'
import type { BudgetTerms } from '../access/limits/budget-terms.ts'
import { brand } from '../kit/brand.ts'
import { BudgetMeter } from './budgets/budget-meter.ts'
import { lowestRemainingLimit, readAccount } from './caller-account.ts'
import type { CreditGrant, GrantId } from './credit-store.ts'
import { CreditBudgets } from './credits/credit-budget.ts'
import { createLimitIndex } from './limit-index.ts'
import { RateLimiter } from './rates/rate-limiter.ts'

const noonMs = Date.parse('2026-11-20T12:00:00Z')
const day: BudgetTerms = {
  name: undefined,
  limit: nano(100),
  mode: 'exact',
  atLimit: { type: 'refuse' },
  warnAt: [],
  window: { type: 'calendar', unit: 'day', timeZone: 'UTC' },
}

const caller = { ...openCaller, user: 'alice' }
const grant: CreditGrant = {
  id: brand<GrantId>('grant_1'),
  scope: { type: 'user', name: 'alice' },
  amount: nano(60),
  reason: 'a test',
  author: 'ann',
  atMs: noonMs - 1,
  expiresAtMs: noonMs + 1_000,
  codeId: undefined,
}

function open(budgets: readonly BudgetTerms[]) {
  const meter = new BudgetMeter()
  const limits = createLimitIndex(
    { groups: [], users: [], budgets: [], rates: { installation: undefined, models: new Map() } },
    new CreditBudgets([grant]),
  )
  const spender = { ...caller, budgets }
  const rates = new RateLimiter({ clock: createFakeClock() })
  return {
    read: () => readAccount(spender, { limits, meter, rates }, noonMs),
    spend(amount: number) {
      const fixed = { fixed: nano(amount), outputRate: nano(0), maxOutputTokens: 0, minOutput: 0 }
      const worst = { ...fixed, canClamp: false, multiplierPpm: 1_000_000 }
      const result = meter.hold({ budgets: limits.callerBudgets(spender, {}), worst }, noonMs)
      if (result.type === 'held') result.hold.settle({ cost: nano(amount), charged: nano(amount) })
      return result.type
    },
  }
}

it('the account lists credits beside budgets with their next expiry, and the smaller remainder is the limit', () => {
  const { read, spend } = open([day])
  expect(spend(20)).toBe('held')
  const account = read()
  expect(account).toMatchObject({
    budgets: [{ status: { spent: 20, remaining: 80, resetsAtMs: Date.parse('2026-11-21T00:00:00Z') } }],
    credits: [{ status: { spent: 20 }, balance: { remaining: 40, nextLapse: { amount: 40 } } }],
  })
  expect(lowestRemainingLimit(account)).toMatchObject({ limit: 60, remaining: 40, used: 20 })
})

it('a budget that only warns or is unlimited is not a limit', () => {
  const observed: BudgetTerms = { ...day, mode: 'observe', limit: nano(1) }
  const { read } = open([observed, { ...day, name: 'all', limit: undefined }])
  expect(lowestRemainingLimit(read())).toMatchObject({ budget: { name: 'credit:user:alice' }, limit: 60 })
  expect(lowestRemainingLimit({ ...read(), credits: [] })).toBeUndefined()
})
