import { describe, expect, it } from 'vitest'
import { createBudgetFailure, createConcurrencyFailure, createRateLimitFailure } from './spending-failures.ts'

const midnight = Date.parse('2026-11-24T00:00:00Z')

describe('the error of a budget', () => {
  it.each([
    [
      { name: 'day', reason: 'spent', resetsAtMs: midnight },
      'The budget "day" is spent. It starts anew at 2026-11-24T00:00:00Z: wait until then, or ask the operator of this gateway to raise it.',
    ],
    [
      { name: 'credit', reason: 'spent', resetsAtMs: undefined },
      'The budget "credit" is spent. Ask the operator of this gateway to raise it.',
    ],
    [
      { name: 'day', reason: 'too-small', resetsAtMs: midnight },
      'What is left of the budget "day" does not allow this request. Ask for less output or send a shorter request, wait until it starts anew at 2026-11-24T00:00:00Z, or ask the operator of this gateway to raise it.',
    ],
    [
      { name: 'credit', reason: 'too-small', resetsAtMs: undefined },
      'What is left of the budget "credit" does not allow this request. Ask for less output or send a shorter request, or ask the operator of this gateway to raise it.',
    ],
  ] as const)('of %j says what to do', (budget, message) => {
    expect(createBudgetFailure(budget)).toMatchObject({ code: 'budget_exceeded', message })
  })
})

it('the error of a rate limit says which, and when to try again', () => {
  const limit = { what: 'tokens per minute of the group "search"', limit: 100_000, retryAfterMs: 1_250 }
  expect(createRateLimitFailure(limit)).toMatchObject({
    code: 'rate_limit_exceeded',
    message:
      'The limit of 100000 tokens per minute of the group "search" is reached. Try again after the time in retry-after.',
    retryAfterSeconds: 1.25,
  })
})

it('the error of too many requests at once says how many may be', () => {
  expect(createConcurrencyFailure({ what: 'the key "ci"', limit: 8 })).toMatchObject({
    code: 'concurrency_limit_exceeded',
    message:
      'At most 8 requests of the key "ci" may be under way at once. Try again once one of them has ended.',
  })
})
