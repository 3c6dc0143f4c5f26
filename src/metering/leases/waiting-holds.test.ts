import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { nano } from '../../../test/support/ledger-row.ts'
import { shareInMemory } from '../../../test/support/shared-budgets.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { brand } from '../../kit/brand.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import type { Budget, BudgetId } from '../budget.ts'
import { BudgetMeter } from '../budgets/budget-meter.ts'
import { BudgetLeases } from './budget-leases.ts'
import type { MeterStore } from './meter-store.ts'

const LIMIT = 1_000
const VALID_MS = 600_000

/** A process with an exact budget, whose orders reach the store when `deliver` says so. */
async function openProcess() {
  const clock = createFakeClock()
  const shared = shareInMemory(clock)
  let gate = Promise.resolve()
  const store: MeterStore = {
    lease: async (epoch, order) => {
      await gate
      return shared.lease(epoch, order)
    },
    readOthers: (epoch, counters) => shared.readOthers(epoch, counters),
    findTopValues: (budget, limit) => shared.findTopValues(budget, limit),
  }
  const options = { store, clock, nowMs: () => clock.nowMs() }
  let endings = 0
  const onEpochEnded = () => {
    endings += 1
  }
  const leases = new BudgetLeases({ ...options, askOthers: () => undefined, onEpochEnded })
  const meter = new BudgetMeter({ isShared: true, onFreed: leases.onFreed })
  async function begin() {
    if (leases.epoch !== undefined) await shared.end(leases.epoch)
    meter.restart([])
    leases.begin(await shared.begin(), meter, clock.monotonicMs() + VALID_MS)
  }
  await begin()
  const hold = (amount: number, budgets = [budget]) => {
    const worst = {
      fixed: nano(amount),
      outputRate: nano(0),
      maxOutputTokens: 0,
      minOutput: 0,
      canClamp: false,
    }
    return leases.hold({
      budgets: budgets.map((each) => ({ budget: each })),
      worst: { ...worst, multiplierPpm: 1_000_000 },
    })
  }
  return {
    begin,
    hold,
    clock,
    shared,
    leases,
    /** The number of reports that the epoch of the process has ended. */
    endings: () => endings,
    /** Makes orders fail until it is called with `false`. */
    setAway(isAway: boolean) {
      gate = isAway ? Promise.reject(new GatewayError('store_unavailable')) : Promise.resolve()
      gate.catch(() => undefined)
    },
    /** Lets orders wait for what it answers with. */
    delay() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

const budget: Budget = {
  id: brand<BudgetId>('one'),
  name: 'one',
  scope: { type: 'installation' },
  limit: nano(LIMIT),
  window: { type: 'total' },
  mode: 'exact',
  atLimit: { type: 'refuse' },
  warnAt: [],
}
const other: Budget = { ...budget, id: brand<BudgetId>('other'), name: 'other' }

it('requests that wait together are not refused while the budget has enough for all of them', async () => {
  const { hold } = await openProcess()
  const first = await hold(100)
  if (first.type === 'held') first.hold.settle({ cost: nano(10), charged: nano(10) })
  // What the first one gave back is at hand for one of them, and each has asked for the rest of its own alone.
  const results = await Promise.all([hold(150), hold(150), hold(150)])
  expect(results.map(({ type }) => type)).toEqual(['held', 'held', 'held'])
})

it('a process whose epoch others ended reports it once, and holds nothing until it begins another', async () => {
  const { hold, shared, leases, endings, begin } = await openProcess()
  expect((await hold(100)).type).toBe('held')
  if (leases.epoch !== undefined) await shared.end(leases.epoch)
  expect((await hold(600)).type).toBe('leases-away')
  expect((await hold(600)).type).toBe('leases-away')
  expect(endings()).toBe(1)
  await begin()
  expect((await hold(600)).type).toBe('held')
})

it('the end of an earlier epoch does not end the present one', async () => {
  const { hold, delay, begin, endings } = await openProcess()
  const deliver = delay()
  const earlier = hold(100)
  await nextTurn()
  await begin()
  deliver()
  await earlier
  expect(endings()).toBe(0)
})

it('a request that waits while the process starts a new epoch is not refused as if the budget were spent', async () => {
  const { hold, delay, begin } = await openProcess()
  const deliver = delay()
  const earlier = hold(100)
  await nextTurn()
  const waiting = hold(100)
  await begin()
  deliver()
  expect((await earlier).type).toBe('leases-away')
  expect((await waiting).type).toBe('held')
})

it('a request gets the lease made for it, though unused leases are returned meanwhile', async () => {
  const { hold, delay, clock } = await openProcess()
  const deliver = delay()
  const waiting = hold(600)
  await nextTurn()
  clock.advance(1_000)
  deliver()
  expect((await waiting).type).toBe('held')
})

it('a request that waits for one budget is not refused by another whose lease is returned meanwhile', async () => {
  const { hold, delay, clock } = await openProcess()
  const first = await hold(600)
  if (first.type === 'held') first.hold.settle({ cost: nano(0), charged: nano(0) })
  const deliver = delay()
  const waiting = hold(600, [budget, other])
  await nextTurn()
  clock.advance(1_000)
  deliver()
  expect((await waiting).type).toBe('held')
})

it('an unused amount is available to other processes although the store did not answer when it was returned', async () => {
  const { hold, clock, shared, setAway } = await openProcess()
  const first = await hold(600)
  if (first.type === 'held') first.hold.settle({ cost: nano(10), charged: nano(10) })
  setAway(true)
  clock.advance(1_000)
  await nextTurn()
  setAway(false)
  for (let ticks = 0; ticks < 3; ticks += 1) {
    clock.advance(1_000)
    await nextTurn()
  }
  const window = { counter: budget.id, windowStartMs: 0, windowEndMs: undefined }
  const ask = { window, isRolling: false, ceiling: LIMIT, needed: 900, minimum: 900, ahead: 0 }
  const [lease] = await shared.lease(await shared.begin(), { asks: [ask], returns: [] })
  expect(lease?.granted).toBe(900)
})
