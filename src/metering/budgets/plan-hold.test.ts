import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBudget } from '../../access/limits/budget-schema.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { type BudgetId, type BudgetScope, countedAmount } from '../budget.ts'
import type { WorstCase } from '../meter.ts'
import { ASSUMED_MAX_OUTPUT_TOKENS, type BudgetState, findShortages, planHold } from './plan-hold.ts'
import { worstAmounts } from './worst-cost.ts'

const nano = (amount: number) => brand<NanoDollars>(amount)
const key: BudgetScope = { type: 'key', name: 'ci' }
const channel: BudgetScope = { type: 'channel', name: 'first' }

function stateOf(limit: number, scope: BudgetScope, more: Partial<BudgetState> = {}): BudgetState {
  const terms = readBudget({ window: 'total' }, undefined)
  const budget = { ...terms, id: brand<BudgetId>('total'), name: 'total', scope }
  return {
    budget,
    limit: nano(limit),
    spent: 0,
    held: 0,
    holds: 0,
    available: Number.POSITIVE_INFINITY,
    ...more,
  }
}

const worst: WorstCase = {
  fixed: nano(100),
  outputRate: nano(1_000_000),
  maxOutputTokens: undefined,
  minOutput: 200,
  canClamp: true,
  multiplierPpm: 1_000_000,
}

describe('an output that costs nothing', () => {
  const uncapped = { type: 'fits', cap: undefined }

  it('needs no cap when the model’s output is free', () => {
    expect(planHold([stateOf(100, channel)], { ...worst, outputRate: nano(0) })).toEqual(uncapped)
  })

  it('needs no cap when its caller pays nothing', () => {
    expect(planHold([stateOf(1, key)], { ...worst, multiplierPpm: 0 })).toEqual(uncapped)
  })

  it('needs a cap when another budget counts its cost', () => {
    const states = [stateOf(1, key), stateOf(1_100, channel)]
    expect(planHold(states, { ...worst, multiplierPpm: 0 })).toMatchObject({ cap: 1_000 })
  })

  it('is refused when the input alone does not fit', () => {
    const plan = planHold([stateOf(99, channel)], { ...worst, outputRate: nano(0) })
    expect(plan).toMatchObject({ type: 'refused', refusals: [{ reason: 'too-small', missing: 1 }] })
  })
})

it('a request could do with less of a budget only if its output and the budget can be lowered', () => {
  const clamps = stateOf(1_000, channel, { available: 150 })
  const refuses = { ...clamps, budget: { ...clamps.budget, atLimit: { type: 'refuse' as const } } }
  const asked = { ...worst, maxOutputTokens: 600 }
  const both = (states: readonly BudgetState[], canClamp: boolean) =>
    findShortages(states, { ...asked, canClamp }).map(({ needed, minimum }) => [needed, minimum])
  expect(both([clamps], true)).toEqual([[550, 150]])
  expect(both([clamps], false)).toEqual([[550, 550]])
  expect(both([refuses], true)).toEqual([[550, 550]])
})

it('a budget is not reported as spent while other requests hold the rest of it', () => {
  const leased = stateOf(1_000, channel, { spent: 200, available: 0 })
  const plan = planHold([leased], { ...worst, canClamp: false, maxOutputTokens: 200 })
  expect(plan).toMatchObject({ type: 'refused', refusals: [{ reason: 'too-small' }] })
  const spent = planHold([{ ...leased, spent: 1_000 }], { ...worst, canClamp: false, maxOutputTokens: 200 })
  expect(spent).toMatchObject({ type: 'refused', refusals: [{ reason: 'spent' }] })
})

it('a request with the planned cap fits into every exact budget, and one more token exceeds the fair share', () => {
  const state = fc
    .record({ limit: fc.nat(10_000_000), scope: fc.constantFrom(key, channel), holds: fc.nat(20) })
    .chain(({ limit, scope, holds }) => fc.nat(limit).map((spent) => stateOf(limit, scope, { spent, holds })))
  const asked = fc.record({
    fixed: fc.nat(100_000).map(nano),
    outputRate: fc.integer({ min: 0, max: 100_000_000 }).map(nano),
    maxOutputTokens: fc.option(fc.integer({ min: 200, max: 200_000 }), { nil: undefined }),
    minOutput: fc.constant(200),
    canClamp: fc.boolean(),
    multiplierPpm: fc.integer({ min: 0, max: 3_000_000 }),
  })
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 4 }), asked, (states, request) => {
      const plan = planHold(states, request)
      if (plan.type === 'refused') return
      const cap = plan.cap ?? request.maxOutputTokens ?? 0
      for (const { budget, limit = 0, spent } of states)
        expect(spent + worstAmounts(request, cap)[countedAmount(budget.scope)]).toBeLessThanOrEqual(limit)
      if (
        plan.cap === undefined ||
        cap === request.maxOutputTokens ||
        cap === request.minOutput ||
        cap === ASSUMED_MAX_OUTPUT_TOKENS
      )
        return
      const isOver = states.some(({ budget, limit = 0, spent, holds }) => {
        return (
          worstAmounts(request, cap + 1)[countedAmount(budget.scope)] >
          Math.floor((limit - spent) / (1 + holds))
        )
      })
      expect(isOver).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})
