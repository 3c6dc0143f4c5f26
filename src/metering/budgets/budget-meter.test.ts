import { describe, expect, it } from 'vitest'
import { type BudgetInput, readBudget } from '../../access/limits/budget-schema.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { Budget, BudgetId, BudgetScope } from '../budget.ts'
import type { AppliedBudget, Hold, HoldRequest, WorstCase } from '../meter.ts'
import { BudgetMeter } from './budget-meter.ts'
import { OVERFLOW_VALUE } from './counter-table.ts'

const nano = (amount: number) => brand<NanoDollars>(amount)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const noon = Date.parse('2026-11-23T12:00:00Z')

function createBudget(
  limit: number | undefined,
  more: Partial<BudgetInput> = {},
  scope: BudgetScope = { type: 'key', name: 'ci' },
): Budget {
  const terms = readBudget({ window: 'day', ...more }, undefined)
  const id = brand<BudgetId>(`${scope.type}/${JSON.stringify(more)}`)
  return { ...terms, limit: limit === undefined ? undefined : nano(limit), id, name: 'ci/day', scope }
}

/** A thousandth of a dollar for a thousand tokens of output; the input costs 100. */
const worst: WorstCase = {
  fixed: nano(100),
  outputRate: nano(1_000_000),
  maxOutputTokens: 1_000,
  minOutput: 200,
  canClamp: true,
  multiplierPpm: 1_000_000,
}

const ask = (budget: Budget, more: Partial<WorstCase> = {}): HoldRequest => ({
  budgets: [{ budget }],
  worst: { ...worst, ...more },
})

function held(meter: BudgetMeter, request: HoldRequest, atMs = noon): Hold {
  const result = meter.hold(request, atMs)
  if (result.type === 'refused') throw new Error(`refused: ${result.reason}`)
  return result.hold
}

function spend(meter: BudgetMeter, request: HoldRequest, amount: number, atMs = noon) {
  return held(meter, request, atMs).settle({ cost: nano(amount), charged: nano(amount) })
}

describe('an exact budget', () => {
  it('serves as many equal requests as fit, and no more until one settles for less', () => {
    const meter = new BudgetMeter()
    const request = ask(createBudget(3_300, { at_limit: 'refuse' }))
    const holds = [1, 2, 3].map(() => held(meter, request))
    expect(meter.hold(request, noon)).toMatchObject({ type: 'refused', reason: 'spent' })
    holds[0]?.settle({ cost: nano(0), charged: nano(0) })
    expect(meter.hold(request, noon).type).toBe('held')
  })

  it('settles once, at the actual cost of the attempt', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(3_300)
    const hold = held(meter, ask(budget))
    expect(hold.maxCharged).toBe(1_100)
    const actual = { cost: nano(700), charged: nano(700) }
    expect(hold.settle(actual)).toMatchObject([{ amount: 700, windowStartMs: Date.parse('2026-11-23') }])
    expect(hold.settle(actual)).toHaveLength(1)
    expect(meter.status({ budget }, noon)).toMatchObject({ spent: 700, held: 0, remaining: 2_600 })
  })

  it('lowers the output cap to the fair share of what is left', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(2_000)
    held(meter, ask(budget))
    // 900 are left for this one and the one that holds: 450, of which the input takes 100.
    expect(meter.hold(ask(budget), noon)).toMatchObject({ maxOutputTokens: 350, isClamped: true })
  })

  it('gives the minimum useful output when the fair share is smaller, and refuses when the minimum does not fit', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_500)
    held(meter, ask(budget))
    expect(meter.hold(ask(budget), noon)).toMatchObject({ maxOutputTokens: 200, isClamped: true })
    expect(meter.hold(ask(budget), noon)).toMatchObject({ type: 'refused', reason: 'too-small' })
  })

  it('sends a cap when neither the caller nor the catalog names one', () => {
    const budget = createBudget(1_500, { at_limit: 'refuse' })
    expect(new BudgetMeter().hold(ask(budget, { maxOutputTokens: undefined }), noon)).toMatchObject({
      maxOutputTokens: 1_400,
    })
  })

  it('refuses, without a lower cap, a request that cannot be clamped', () => {
    const request = ask(createBudget(500), { canClamp: false })
    expect(new BudgetMeter().hold(request, noon)).toMatchObject({ type: 'refused', reason: 'too-small' })
  })

  it('reports its reset time, and resets then', () => {
    const meter = new BudgetMeter()
    const request = ask(createBudget(1_100, { at_limit: 'refuse' }))
    held(meter, request)
    expect(meter.hold(request, noon)).toMatchObject({ resetsAtMs: Date.parse('2026-11-24') })
    expect(meter.hold(request, noon + DAY_MS).type).toBe('held')
  })

  it('settles in the window of its hold, even after that window has ended', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100)
    const hold = held(meter, ask(budget))
    held(meter, ask(budget), noon + DAY_MS).settle({ cost: nano(0), charged: nano(0) })
    const [counted] = hold.settle({ cost: nano(5), charged: nano(5) })
    expect(counted?.windowStartMs).toBe(Date.parse('2026-11-23'))
    expect(meter.status({ budget }, noon + DAY_MS).spent).toBe(0)
  })

  it('does not reset when the clock is set back', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100, { at_limit: 'refuse' })
    held(meter, ask(budget)).settle({ cost: nano(1_100), charged: nano(1_100) })
    expect(meter.hold(ask(budget), noon - DAY_MS)).toMatchObject({ type: 'refused', reason: 'spent' })
  })

  it('does not reset when a clock that was set back is corrected to a little less than the time', () => {
    const meter = new BudgetMeter({ clock: { monotonicMs: () => 0 } })
    const budget = createBudget(1_100, { at_limit: 'refuse' })
    spend(meter, ask(budget), 1_100)
    for (const wallMs of [noon - DAY_MS, noon - 500])
      expect(meter.hold(ask(budget), wallMs)).toMatchObject({ type: 'refused', reason: 'spent' })
  })

  it('resets on time after a clock that ran far ahead is corrected', () => {
    let monotonicMs = 0
    const meter = new BudgetMeter({ clock: { monotonicMs: () => monotonicMs } })
    const budget = createBudget(1_100, { window: 'minute', at_limit: 'refuse' })
    meter.status({ budget }, noon + 365 * DAY_MS)
    spend(meter, ask(budget), 1_100)
    expect(meter.hold(ask(budget), noon + 30_000).type).toBe('refused')
    monotonicMs = 60_000
    expect(meter.hold(ask(budget), noon + 90_000).type).toBe('held')
  })

  it('finishes its window before a new time zone takes effect', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100, { at_limit: 'refuse' })
    spend(meter, ask(budget), 1_100)
    const window = { type: 'calendar', unit: 'day', timeZone: 'Asia/Tokyo' } as const
    const moved = { ...budget, window }
    expect(meter.hold(ask(moved), Date.parse('2026-11-23T16:00:00Z'))).toMatchObject({
      resetsAtMs: Date.parse('2026-11-24T00:00:00Z'),
    })
    expect(spend(meter, ask(moved), 1, Date.parse('2026-11-24T00:00:00Z'))).toMatchObject([
      { windowStartMs: Date.parse('2026-11-24T00:00:00Z'), windowEndMs: Date.parse('2026-11-24T15:00:00Z') },
    ])
  })

  it('charges no more than the held amount', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100)
    expect(spend(meter, ask(budget), 5_000)).toMatchObject([{ amount: 1_100 }])
  })

  it('holds once for a request that lists it twice', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100)
    held(meter, { budgets: [{ budget }, { budget }], worst })
    expect(meter.status({ budget }, noon).held).toBe(1_100)
  })

  it('admits a request that costs nothing, even when the budget is spent', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100)
    spend(meter, ask(budget), 1_100)
    const free = { fixed: nano(0), outputRate: nano(0), maxOutputTokens: undefined }
    expect(meter.hold(ask(budget, free), noon)).toMatchObject({ type: 'held', isClamped: false })
    expect(meter.hold(ask(budget, { multiplierPpm: 0 }), noon)).toMatchObject({ type: 'held' })
  })

  it('sets no cap and charges in full when it has no limit', () => {
    const budget = createBudget(undefined)
    const result = new BudgetMeter().hold(ask(budget, { maxOutputTokens: undefined }), noon)
    expect(result).toMatchObject({ type: 'held', maxOutputTokens: undefined, isClamped: false })
    expect(result.type === 'held' && result.hold.maxCharged).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('serves parallel requests of a coding agent with ever smaller caps, until the minimum useful output no longer fits', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(5_000_000_000)
    const agent = {
      fixed: nano(3_000_000),
      outputRate: nano(15_000_000_000),
      maxOutputTokens: 128_000,
      minOutput: 4_096,
    }
    const caps = Array.from({ length: 20 }, () => meter.hold(ask(budget, agent), noon))
      .filter((result) => result.type === 'held')
      .map(({ maxOutputTokens }) => maxOutputTokens)
    expect(caps.slice(0, 3)).toEqual([128_000, 128_000, 25_444])
    expect(caps.at(-1)).toBe(4_096)
    const minCost = agent.fixed + (agent.minOutput * agent.outputRate) / 1_000_000
    expect(meter.status({ budget }, noon).remaining).toBeLessThan(minCost)
  })

  it('holds the charge, rounded up, for a caller’s budget, and the cost for any other budget', () => {
    const half = ask(createBudget(5_000), { multiplierPpm: 500_001 })
    expect(held(new BudgetMeter(), half).amounts).toMatchObject([{ amount: 551, counts: 'charged' }])
    const channel = createBudget(5_000, {}, { type: 'channel', name: 'first' })
    const hold = held(new BudgetMeter(), ask(channel, { multiplierPpm: 500_001 }))
    expect(hold.amounts).toMatchObject([{ amount: 1_100, counts: 'cost' }])
    expect(hold.maxCharged).toBe(Number.MAX_SAFE_INTEGER)
  })
})

it('an idle budget is held together with budgets that are used for the first time', () => {
  const meter = new BudgetMeter()
  const [first, ...others] = (['hour', 'day', 'week', 'month'] as const).map((window) => ({
    budget: createBudget(9_000, { window }),
  }))
  if (first === undefined) throw new Error('no budgets')
  spend(meter, { budgets: [first], worst }, 0)
  meter.hold({ budgets: [first, ...others], worst }, noon + 1)
  expect(meter.status(first, noon + 1).held).toBe(1_100)
})

it('a hold covers all budgets or none', () => {
  const meter = new BudgetMeter()
  const wide = createBudget(9_000)
  const narrow = createBudget(50, {}, { type: 'channel', name: 'first' })
  const result = meter.hold({ budgets: [{ budget: wide }, { budget: narrow }], worst }, noon)
  expect(result).toMatchObject({ type: 'refused', budget: narrow })
  expect(meter.status({ budget: wide }, noon)).toMatchObject({ held: 0, spent: 0 })
})

it('an estimate budget refuses once it is spent, and an observing budget never refuses', () => {
  for (const [mode, then] of [
    ['estimate', 'refused'],
    ['observe', 'held'],
  ] as const) {
    const meter = new BudgetMeter()
    const request = ask(createBudget(100, { mode }))
    held(meter, request).settle({ cost: nano(150), charged: nano(150) })
    expect(meter.hold(request, noon).type).toBe(then)
  }
})

it('a refusal names the budget that lasts longest among those that refuse', () => {
  const meter = new BudgetMeter()
  const day = createBudget(50)
  const month = createBudget(50, { window: 'month' })
  const budgets = [day, month].map((budget) => ({ budget }))
  expect(meter.hold({ budgets, worst }, noon)).toMatchObject({
    budget: month,
    resetsAtMs: Date.parse('2026-12-01'),
  })
})

it('the hold names a budget that is not exact, and reserves nothing in it', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(5_000, { mode: 'estimate' })
  expect(held(meter, ask(budget)).amounts).toMatchObject([{ counter: budget.id, amount: 0 }])
  expect(meter.status({ budget }, noon)).toMatchObject({ held: 0, remaining: 5_000 })
})

it('an observing budget with a rolling window adds up its spending, however many parts have passed', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(5_000, { mode: 'observe', window: HOUR_MS })
  const hold = held(meter, ask(budget))
  for (let minute = 0; minute < 30; minute += 1) spend(meter, ask(budget), 0, noon + minute * 60_000)
  hold.settle({ cost: nano(70), charged: nano(70) })
  expect(meter.status({ budget }, noon + 30 * 60_000).spent).toBe(70)
})

it('a rolling window includes at least the spending of its length, and drops old spending in time', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(1_100, { window: 5 * 3_600_000, at_limit: 'refuse' })
  held(meter, ask(budget)).settle({ cost: nano(1_100), charged: nano(1_100) })
  expect(meter.hold(ask(budget), noon + 5 * 3_600_000).type).toBe('refused')
  expect(meter.hold(ask(budget), noon + 5.1 * 3_600_000).type).toBe('held')
})

it('a rolling window counts what was spent before a restart by a clock that was ahead as spent at the restart', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(1_100, { window: HOUR_MS })
  const aheadMs = noon + HOUR_MS / 2
  const [windowStartMs, windowEndMs] = [aheadMs, aheadMs + HOUR_MS + 60_000]
  meter.load([{ counter: budget.id, windowStartMs, windowEndMs, spent: nano(500) }])
  const spentAt = (atMs: number) => meter.status({ budget }, atMs).spent
  expect(spentAt(noon)).toBe(500)
  spend(meter, ask(budget, { maxOutputTokens: 400 }), 300, aheadMs)
  expect([spentAt(noon + HOUR_MS - 1), spentAt(noon + HOUR_MS)]).toEqual([800, 300])
  expect([spentAt(windowEndMs - 1), spentAt(windowEndMs)]).toEqual([300, 0])
})

it('a refusal names the time when enough spending has left a rolling window for the request', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(1_100, { window: HOUR_MS, at_limit: 'refuse' })
  spend(meter, ask(budget, { maxOutputTokens: 300 }), 300)
  spend(meter, ask(budget, { maxOutputTokens: 700 }), 700, noon + 10 * 60_000)
  expect(meter.hold(ask(budget, { maxOutputTokens: 200 }), noon + 20 * 60_000)).toMatchObject({
    resetsAtMs: noon + 61 * 60_000,
  })
  expect(meter.hold(ask(budget, { maxOutputTokens: 900 }), noon + 20 * 60_000)).toMatchObject({
    resetsAtMs: noon + 71 * 60_000,
  })
})

describe('warnings', () => {
  function createWarned(more: Partial<BudgetInput> = {}) {
    const reached: number[] = []
    const meter = new BudgetMeter({ onThreshold: ({ percent }) => reached.push(percent) })
    const budget = createBudget(2_000, { warn_at: [50, 80], mode: 'observe', ...more })
    return { reached, meter, budget, request: ask(budget) }
  }

  it('are based on all spending in a rolling window', () => {
    const { reached, meter, request } = createWarned({ window: HOUR_MS })
    for (const minute of [0, 10, 20, 30]) spend(meter, request, 300, noon + minute * 60_000)
    expect(reached).toEqual([50])
  })

  it('come again with the next window', () => {
    const { reached, meter, request } = createWarned()
    for (const day of [0, 0, 1]) spend(meter, request, 1_000, noon + day * DAY_MS)
    expect(reached).toEqual([50, 80, 50])
  })

  it('do not come again after a restart of the process', () => {
    const { reached, meter, budget, request } = createWarned()
    const windowStartMs = Date.parse('2026-11-23')
    const window = { counter: budget.id, windowStartMs, windowEndMs: windowStartMs + DAY_MS }
    meter.load([{ ...window, spent: nano(1_100) }])
    spend(meter, request, 100)
    expect(reached).toEqual([])
    spend(meter, request, 400)
    expect(reached).toEqual([80])
  })

  it('come again once an operator has reset the window', () => {
    const { reached, meter, budget, request } = createWarned()
    spend(meter, request, 1_000)
    for (const { amount, window } of meter.resettable({ budget }, noon)) {
      const reset = { id: 'change_1', reason: 'a launch', author: 'ada', atMs: noon, type: 'reset' } as const
      meter.apply({ ...reset, budgetId: budget.id, window, resetAmount: amount })
    }
    spend(meter, request, 1_000)
    expect(reached).toEqual([50, 50])
  })

  it('come once more when the spending reaches a higher limit', () => {
    const { reached, meter, budget } = createWarned()
    spend(meter, ask(budget), 1_000)
    const higher = { ...budget, limit: nano(4_000) }
    for (let times = 0; times < 2; times += 1) spend(meter, ask(higher), 500)
    expect(reached).toEqual([50, 50])
  })
})

it('warns once at each share of the limit in a window', () => {
  const reached: number[] = []
  const meter = new BudgetMeter({ onThreshold: ({ percent }) => reached.push(percent) })
  const request = ask(createBudget(2_000, { warn_at: [50, 80] }))
  for (const spent of [900, 200, 300, 300])
    held(meter, request).settle({ cost: nano(spent), charged: nano(spent) })
  expect(reached).toEqual([50, 80])
})

describe('a change by an operator', () => {
  const base = { id: 'change_1', reason: 'a launch', author: 'ada', atMs: noon }

  it('raises the limit until its end time, and only once, however often it is applied', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_000)
    const raise = { ...base, type: 'raise', budgetId: budget.id, amount: nano(500) } as const
    meter.apply({ ...raise, untilMs: noon + 1_000 })
    meter.apply({ ...raise, untilMs: noon + 1_000 })
    expect(meter.status({ budget }, noon).limit).toBe(1_500)
    expect(meter.status({ budget }, noon + 1_000).limit).toBe(1_000)
  })

  it('makes the spent amount of a window available once more, and only once', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_000)
    spend(meter, ask(budget, { maxOutputTokens: 300 }), 300)
    const [amount, ...more] = meter.resettable({ budget }, noon)
    if (amount === undefined) throw new Error('nothing to forgive')
    expect([amount.amount, more]).toEqual([300, []])
    const { window, amount: resetAmount } = amount
    meter.apply({ ...base, type: 'reset', budgetId: budget.id, window, resetAmount })
    expect(meter.status({ budget }, noon)).toMatchObject({ spent: 0, remaining: 1_000 })
    expect(meter.resettable({ budget }, noon)).toEqual([])
  })

  it('gives what another process spent once more, whichever of both this one learns of first', () => {
    const [other, meter, late] = [new BudgetMeter(), new BudgetMeter(), new BudgetMeter()]
    const budget = createBudget(1_000)
    spend(other, ask(budget, { maxOutputTokens: 300 }), 300)
    const [reset] = other.resettable({ budget }, noon)
    if (reset === undefined) throw new Error('nothing to reset')
    const { amount: resetAmount, window } = reset
    const change = { ...base, type: 'reset', budgetId: budget.id, window, resetAmount } as const
    meter.apply(change)
    meter.adoptOthers([{ ...window, spent: nano(100) }])
    spend(meter, ask(budget, { maxOutputTokens: 300 }), 250)
    meter.adoptOthers([{ ...window, spent: nano(300) }])
    late.adoptOthers([{ ...window, spent: nano(550) }])
    late.apply(change)
    for (const each of [meter, late])
      expect(each.status({ budget }, noon)).toMatchObject({ spent: 250, remaining: 750 })
  })

  it('never leaves a rolling window with more than its limit, once the reset spending has left the window', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_000, { window: HOUR_MS })
    for (const atMs of [noon, noon + 60_000]) spend(meter, ask(budget, { maxOutputTokens: 300 }), 300, atMs)
    for (const { amount, window } of meter.resettable({ budget }, noon + 120_000))
      meter.apply({ ...base, type: 'reset', budgetId: budget.id, window, resetAmount: amount })
    expect(meter.status({ budget }, noon + 120_000).remaining).toBe(1_000)
    expect(meter.status({ budget }, noon + 2 * HOUR_MS).remaining).toBe(1_000)
  })
})

it('each value of a tag has its own window, up to a bound beyond which all other values share one', () => {
  const meter = new BudgetMeter({ bounds: { valuesOfOne: 2 } })
  const budget = createBudget(
    1_100,
    { at_limit: 'refuse' },
    { type: 'tag', name: 'end_user', value: undefined },
  )
  const of = (tagValue: string): AppliedBudget => ({ budget, tagValue })
  const types = ['one', 'two', 'late', 'later'].map(
    (value) => meter.hold({ budgets: [of(value)], worst }, noon).type,
  )
  expect(types).toEqual(['held', 'held', 'held', 'refused'])
  expect(meter.status(of(OVERFLOW_VALUE), noon).held).toBe(1_100)
  expect(meter.status(of('later'), noon).held).toBe(1_100)
})

it('a meter loads what the ledger recorded for a window', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(1_100)
  const windowStartMs = Date.parse('2026-11-23')
  meter.load([{ counter: budget.id, windowStartMs, windowEndMs: windowStartMs + DAY_MS, spent: nano(1_000) }])
  expect(meter.status({ budget }, noon)).toMatchObject({ spent: 1_000, remaining: 100 })
})
