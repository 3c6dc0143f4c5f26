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

it('a reversed amount stays held until the reversal is durable, and is free then', () => {
  const { meter, status, decisions } = setUp()
  const correction = meter.correct(by(-700))
  expect(correction.counted).toEqual(by(-700))
  expect(status()).toMatchObject({ spent: 200, held: 700, remaining: 100 })
  expect(decisions).toEqual([])
  correction.end(true)
  expect(status()).toMatchObject({ spent: 200, held: 0, remaining: 800 })
  expect(decisions).toEqual([{ type: 'corrected', counted: by(-700) }])
})

it('a reversal that fails leaves the spending unchanged', () => {
  const { meter, status, decisions } = setUp()
  meter.correct(by(-700)).end(false)
  expect(status()).toMatchObject({ spent: 900, held: 0 })
  expect(decisions).toEqual([])
})

it('an added amount is part of the spending once it is durable, even in an empty window', () => {
  const { meter, status } = setUp()
  meter.correct(by(50)).end(false)
  expect(status().spent).toBe(900)
  meter.correct(by(50)).end(true)
  expect(status().spent).toBe(950)
  const empty = new BudgetMeter()
  empty.correct(by(50)).end(true)
  expect(empty.status({ budget }, noon).spent).toBe(50)
})

it('the correction of an ended window changes the ledger alone', () => {
  const { meter, status } = setUp()
  expect(status(noon + dayMs).spent).toBe(0)
  for (const amount of [-700, 50]) {
    const correction = meter.correct(by(amount))
    expect(correction.counted).toEqual(by(amount))
    correction.end(true)
  }
  expect(status(noon + dayMs)).toMatchObject({ spent: 0, held: 0 })
})

it('a correction does not return an amount that a reset has already returned', () => {
  const { meter, status } = setUp()
  const base = { id: 'change_1', reason: 'a launch', author: 'ada', atMs: noon, budgetId: id }
  meter.apply({ ...base, type: 'reset', window: { counter: id, ...window }, resetAmount: nano(900) })
  meter.correct(by(30)).end(true)
  const correction = meter.correct(by(-700))
  expect(correction.counted).toEqual(by(-30))
  correction.end(true)
  expect(status()).toMatchObject({ spent: 0, held: 0, remaining: 1_000 })
})
