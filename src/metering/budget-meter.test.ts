import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BudgetInput, readBudget } from '../access/limits/budget-schema.ts'
import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/values/brand.ts'
import type { Budget, BudgetId, BudgetScope } from './budget.ts'
import { BudgetMeter, OVERFLOW_VALUE } from './budget-meter.ts'
import type { AppliedBudget, Hold, HoldRequest, WorstCase } from './meter.ts'

const nano = (amount: number) => brand<NanoDollars>(amount)
const DAY_MS = 86_400_000
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
  ...{ fixed: nano(100), outputRate: nano(1_000_000), outputCap: 1_000, minOutput: 200 },
  ...{ canClamp: true, multiplierPpm: 1_000_000 },
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

describe('an exact budget', () => {
  it('serves as many equal requests as fit, and then none until one is settled for less', () => {
    const meter = new BudgetMeter()
    const request = ask(createBudget(3_300, { at_limit: 'refuse' }))
    const holds = [1, 2, 3].map(() => held(meter, request))
    expect(meter.hold(request, noon)).toMatchObject({ type: 'refused', reason: 'spent' })
    holds[0]?.settle({ cost: nano(0), charged: nano(0) })
    expect(meter.hold(request, noon).type).toBe('held')
  })

  it('settles once, at what the attempt came to', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(3_300)
    const hold = held(meter, ask(budget))
    expect(hold.mostCharged).toBe(1_100)
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
    expect(meter.hold(ask(budget), noon)).toMatchObject({ outputCap: 350, isClamped: true })
  })

  it('gives the least that is of use where the fair share is less, and refuses where that does not fit', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_500)
    held(meter, ask(budget))
    expect(meter.hold(ask(budget), noon)).toMatchObject({ outputCap: 200, isClamped: true })
    expect(meter.hold(ask(budget), noon)).toMatchObject({ type: 'refused', reason: 'too-small' })
  })

  it('sends a cap where neither caller nor catalog has one', () => {
    const budget = createBudget(1_500, { at_limit: 'refuse' })
    expect(new BudgetMeter().hold(ask(budget, { outputCap: undefined }), noon)).toMatchObject({
      outputCap: 1_400,
    })
  })

  it('is not clamped where the request cannot be', () => {
    const request = ask(createBudget(500), { canClamp: false })
    expect(new BudgetMeter().hold(request, noon)).toMatchObject({ type: 'refused', reason: 'too-small' })
  })

  it('says when it starts anew, and does', () => {
    const meter = new BudgetMeter()
    const request = ask(createBudget(1_100, { at_limit: 'refuse' }))
    held(meter, request)
    expect(meter.hold(request, noon)).toMatchObject({ resetsAtMs: Date.parse('2026-11-24') })
    expect(meter.hold(request, noon + DAY_MS).type).toBe('held')
  })

  it('settles in the window of its hold, also after that has ended', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100)
    const hold = held(meter, ask(budget))
    const [counted] = hold.settle({ cost: nano(5), charged: nano(5) })
    expect(counted?.windowStartMs).toBe(Date.parse('2026-11-23'))
    expect(meter.status({ budget }, noon + DAY_MS).spent).toBe(0)
  })

  it('does not start anew where the clock is set back', () => {
    const meter = new BudgetMeter()
    const budget = createBudget(1_100, { at_limit: 'refuse' })
    held(meter, ask(budget)).settle({ cost: nano(1_100), charged: nano(1_100) })
    expect(meter.hold(ask(budget), noon - DAY_MS)).toMatchObject({ type: 'refused', reason: 'spent' })
  })

  it('holds what the caller pays, rounded up, where it stands on a caller, and the cost where it does not', () => {
    const half = ask(createBudget(5_000), { multiplierPpm: 500_001 })
    expect(held(new BudgetMeter(), half).amounts).toMatchObject([{ amount: 551, counts: 'charged' }])
    const channel = createBudget(5_000, {}, { type: 'channel', name: 'first' })
    const hold = held(new BudgetMeter(), ask(channel, { multiplierPpm: 500_001 }))
    expect(hold.amounts).toMatchObject([{ amount: 1_100, counts: 'cost' }])
    expect(hold.mostCharged).toBe(Number.MAX_SAFE_INTEGER)
  })
})

it('all budgets are held or none', () => {
  const meter = new BudgetMeter()
  const wide = createBudget(9_000)
  const narrow = createBudget(50, {}, { type: 'channel', name: 'first' })
  const result = meter.hold({ budgets: [{ budget: wide }, { budget: narrow }], worst }, noon)
  expect(result).toMatchObject({ type: 'refused', budget: narrow })
  expect(meter.status({ budget: wide }, noon)).toMatchObject({ held: 0, spent: 0 })
})

it('an estimate refuses once it is spent, and an observing budget never', () => {
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

it('a rolling window counts at least what its length spent, and lets it go in time', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(1_100, { window: 5 * 3_600_000, at_limit: 'refuse' })
  held(meter, ask(budget)).settle({ cost: nano(1_100), charged: nano(1_100) })
  expect(meter.hold(ask(budget), noon + 5 * 3_600_000).type).toBe('refused')
  expect(meter.hold(ask(budget), noon + 5.1 * 3_600_000).type).toBe('held')
})

it('warns once of each share in a window', () => {
  const reached: number[] = []
  const meter = new BudgetMeter({ onThreshold: ({ percent }) => reached.push(percent) })
  const request = ask(createBudget(2_000, { warn_at: [50, 80] }))
  for (const spent of [900, 200, 300, 300])
    held(meter, request).settle({ cost: nano(spent), charged: nano(spent) })
  expect(reached).toEqual([50, 80])
})

it('a raise lasts until its time, and a reset starts the window at nothing', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(1_000)
  meter.raise(budget.id, nano(500), noon + 1_000)
  expect(meter.status({ budget }, noon).limit).toBe(1_500)
  expect(meter.status({ budget }, noon + 1_000).limit).toBe(1_000)
  held(meter, ask(budget, { outputCap: 300 })).settle({ cost: nano(300), charged: nano(300) })
  expect(meter.reset({ budget }, noon)).toMatchObject({ amount: -300 })
  expect(meter.status({ budget }, noon + 1_000)).toMatchObject({ spent: 0, remaining: 1_000 })
})

it('each value of a tag has its own window, up to a bound beyond which the rest share one', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(
    1_100,
    { at_limit: 'refuse' },
    { type: 'tag', name: 'end_user', value: undefined },
  )
  const of = (tagValue: string): AppliedBudget => ({ budget, tagValue })
  for (let value = 0; value < 100_000; value += 1) meter.status(of(String(value)), noon)
  meter.hold({ budgets: [of('late')], worst }, noon)
  expect(meter.hold({ budgets: [of('later')], worst }, noon)).toMatchObject({ type: 'refused' })
  expect(meter.status(of(OVERFLOW_VALUE), noon).held).toBe(1_100)
  expect(meter.hold({ budgets: [of('7')], worst }, noon).type).toBe('held')
})

it('takes over what the ledger has of a window', () => {
  const meter = new BudgetMeter()
  const budget = createBudget(1_100)
  const windowStartMs = Date.parse('2026-11-23')
  meter.load([{ counter: budget.id, windowStartMs, windowEndMs: windowStartMs + DAY_MS, spent: nano(1_000) }])
  expect(meter.status({ budget }, noon)).toMatchObject({ spent: 1_000, remaining: 100 })
})

const step = fc.oneof(
  fc.record({
    type: fc.constant('hold' as const),
    cap: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined }),
    fixed: fc.integer({ min: 0, max: 2_000 }),
  }),
  fc.record({ type: fc.constant('settle' as const), which: fc.nat(20), share: fc.nat(120) }),
  fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: -DAY_MS, max: 2 * DAY_MS }) }),
)

it('whatever happens, what is spent and held never passes an exact limit, and nothing stays held', () => {
  const limits = fc.tuple(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 20_000 }))
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 60 }), ([one, other], steps) => {
      const meter = new BudgetMeter()
      const budgets = [createBudget(one), createBudget(other, { window: 3 * 3_600_000 })]
      const live: { hold: Hold; worst: number }[] = []
      let nowMs = noon
      for (const each of steps) {
        if (each.type === 'wait') nowMs += each.ms
        if (each.type === 'hold') {
          const asked = { ...worst, outputCap: each.cap, fixed: nano(each.fixed) }
          const result = meter.hold({ budgets: budgets.map((budget) => ({ budget })), worst: asked }, nowMs)
          if (result.type === 'held') live.push({ hold: result.hold, worst: result.hold.mostCharged })
        }
        if (each.type === 'settle' && live.length > 0) {
          const [ended] = live.splice(each.which % live.length, 1)
          const asked = Math.floor(((ended?.worst ?? 0) * each.share) / 100)
          const charged = nano(Math.min(asked, ended?.worst ?? 0))
          ended?.hold.settle({ cost: nano(asked), charged })
        }
        for (const budget of budgets) {
          const { spent, held: holds, limit } = meter.status({ budget }, nowMs)
          expect(spent + holds).toBeLessThanOrEqual(limit ?? 0)
        }
      }
      for (const { hold } of live) hold.settle({ cost: nano(0), charged: nano(0) })
      for (const budget of budgets) expect(meter.status({ budget }, nowMs).held).toBe(0)
    }),
    { numRuns: 300 },
  )
})
