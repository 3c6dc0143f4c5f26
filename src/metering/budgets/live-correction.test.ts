import { expect, it } from 'vitest'
import { counted, nano } from '../../../test/support/ledger-row.ts'
import { readBudget } from '../../access/limits/budget-schema.ts'
import { type Budget, ownBudgetId } from '../budget.ts'
import type { BudgetDecision } from '../meter.ts'
import { BudgetMeter } from './budget-meter.ts'

const dayMs = 86_400_000
const noon = Date.parse('2026-11-23T12:00:00Z')
const window = { windowStartMs: noon - dayMs / 2, windowEndMs: noon + dayMs / 2 }
const terms = readBudget({ window: 'day' }, undefined)
const id = ownBudgetId('key', 'a', terms)
const budget: Budget = { ...terms, limit: nano(1_000), id, name: 'a', scope: { type: 'key', name: 'ci' } }
const by = (amount: number) => [counted(id, amount, window)]

function setUp(spent = 900) {
  const decisions: BudgetDecision[] = []
  const meter = new BudgetMeter({ onDecision: (decision) => decisions.push(decision) })
  meter.load([{ counter: id, ...window, spent: nano(spent) }])
  const status = (atMs = noon) => meter.status({ budget }, atMs)
  status()
  return { meter, status, decisions }
}

it('what is taken back is held until it is durable, and is free then', () => {
  const { meter, status, decisions } = setUp()
  const correction = meter.correct(by(-700))
  expect(correction.counted).toEqual(by(-700))
  expect(status()).toMatchObject({ spent: 200, held: 700, remaining: 100 })
  expect(decisions).toEqual([])
  correction.end(true)
  expect(status()).toMatchObject({ spent: 200, held: 0, remaining: 800 })
  expect(decisions).toEqual([{ type: 'corrected', counted: by(-700) }])
})

it('what is not taken back in the end counts as before', () => {
  const { meter, status, decisions } = setUp()
  meter.correct(by(-700)).end(false)
  expect(status()).toMatchObject({ spent: 900, held: 0 })
  expect(decisions).toEqual([])
})

it('what is added counts once it is durable, in a window that nothing was counted in as well', () => {
  const { meter, status } = setUp()
  meter.correct(by(50)).end(false)
  expect(status().spent).toBe(900)
  meter.correct(by(50)).end(true)
  expect(status().spent).toBe(950)
  const empty = new BudgetMeter()
  empty.correct(by(50)).end(true)
  expect(empty.status({ budget }, noon).spent).toBe(50)
})

it('a window that is over changes in the ledger alone', () => {
  const { meter, status } = setUp()
  expect(status(noon + dayMs).spent).toBe(0)
  for (const amount of [-700, 50]) {
    const correction = meter.correct(by(amount))
    expect(correction.counted).toEqual(by(amount))
    correction.end(true)
  }
  expect(status(noon + dayMs)).toMatchObject({ spent: 0, held: 0 })
})

it('what a reset gave once more is not given again', () => {
  const { meter, status } = setUp()
  const base = { id: 'change_1', reason: 'a launch', author: 'ada', atMs: noon, budgetId: id }
  meter.apply({ ...base, type: 'reset', window: { counter: id, ...window }, resetAmount: nano(900) })
  meter.correct(by(30)).end(true)
  const correction = meter.correct(by(-700))
  expect(correction.counted).toEqual(by(-30))
  correction.end(true)
  expect(status()).toMatchObject({ spent: 0, held: 0, remaining: 1_000 })
})
