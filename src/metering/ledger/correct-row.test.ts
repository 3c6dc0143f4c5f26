import { describe, expect, it } from 'vitest'
import { counted, createLedgerRow, nano, rowId } from '../../../test/support/ledger-row.ts'
import type { EstimatedBudget } from '../../canonical/estimated-charge.ts'
import { noUsage, type Usage } from '../../canonical/usage.ts'
import type { PriceVersion, PriceVersionId } from '../../catalog/prices/price.ts'
import { brand } from '../../kit/brand.ts'
import type { LedgerRow } from '../ledger-row.ts'
import { correctRow } from './correct-row.ts'

/** 1,000 nano-dollars an input token, 10,000 an output token; at the tier flex half of it. */
const price: PriceVersion = {
  id: brand<PriceVersionId>('openai/gpt@2026-11-01'),
  effectiveFromMs: 0,
  source: 'table',
  sheets: [
    { tier: 'standard', aboveInputTokens: 0, rates: { input: nano(1e9), output: nano(10e9) } },
    { tier: 'flex', aboveInputTokens: 0, rates: { input: nano(5e8), output: nano(5e9) } },
  ],
  toolCalls: {},
}

const used: Usage = { ...noUsage, freshInputTokens: 5, outputTokens: 2, reasoningTokens: 1 }
const estimate = createLedgerRow(1, {
  state: 'estimated',
  cost: nano(90_000),
  charged: nano(99_000),
  tags: { team: 'search' },
  usage: { ...noUsage, freshInputTokens: 7, isEstimated: true },
  counted: [counted('key/a/day', 99_000), counted('installation/all/day', 90_000)],
  flags: { usageMissing: true, clamped: true },
})

const ofKey: EstimatedBudget = { counter: 'key/a/day', counts: 'charged', isExact: true }
const ofAll: EstimatedBudget = { counter: 'installation/all/day', counts: 'cost', isExact: true }

interface Terms {
  readonly row?: LedgerRow
  readonly usage?: Usage
  readonly budgets?: readonly EstimatedBudget[]
  readonly servedTier?: 'flex'
  readonly price?: PriceVersion | undefined
}

function correct({
  row = estimate,
  usage = used,
  budgets = [ofKey, ofAll],
  servedTier,
  ...more
}: Terms = {}) {
  const charge = { rowId: row.id, requestId: row.requestId, multiplierPpm: 1_100_000, budgets }
  return correctRow(row, { id: rowId(2), charge, usage, servedTier, price, ...more })
}

describe('the correction of an estimate', () => {
  it('adds the missing difference to each number, under the names and times of the estimate', () => {
    const row = correct()
    expect(row).toEqual({
      ...estimate,
      id: rowId(2),
      state: 'settled',
      cost: 25_000 - 90_000,
      charged: 27_500 - 99_000,
      usage: { ...noUsage, freshInputTokens: -2, outputTokens: 2, reasoningTokens: 1 },
      counted: [counted('key/a/day', 27_500 - 99_000), counted('installation/all/day', 25_000 - 90_000)],
      flags: { corrects: estimate.id },
    })
  })

  it('uses the price of the tier at which the answer was served', () => {
    expect(correct({ servedTier: 'flex' })).toMatchObject({ tier: 'flex', cost: 12_500 - 90_000 })
  })

  it('reverses the whole estimate when nothing was used', () => {
    const { cost, charged, counted } = correct({ usage: noUsage })
    expect([cost, charged, counted.map(({ amount }) => amount)]).toEqual([
      -90_000,
      -99_000,
      [-99_000, -90_000],
    ])
  })

  it('adds the part beyond the hold to the cost alone', () => {
    const { cost, charged, counted } = correct({ usage: { ...used, outputTokens: 20 } })
    expect([cost, charged, counted]).toEqual([205_000 - 90_000, 0, []])
  })

  it('adds the full difference when nothing was held', () => {
    const budgets = [ofKey, ofAll].map((budget) => ({ ...budget, isExact: false }))
    const { charged, counted } = correct({ usage: { ...used, outputTokens: 20 }, budgets })
    expect([charged, counted.map(({ amount }) => amount)]).toEqual([126_500, [126_500, 115_000]])
  })

  it('adds tool calls, and subtracts those that were not made', () => {
    const row = { ...estimate, usage: { ...estimate.usage, toolCalls: { web_search: 1, x: 2 } } }
    expect(correct({ row, usage: { ...used, toolCalls: { y: 3, x: 2 } } }).usage.toolCalls).toEqual({
      web_search: -1,
      y: 3,
    })
  })

  it('records the usage of a model without a price', () => {
    const row = { ...estimate, priceVersion: undefined, cost: nano(0), charged: nano(0), counted: [] }
    expect(correct({ row, price: undefined, budgets: [] })).toMatchObject({
      cost: 0,
      charged: 0,
      usage: { outputTokens: 2 },
      flags: { unpriced: true, corrects: estimate.id },
    })
  })
})
