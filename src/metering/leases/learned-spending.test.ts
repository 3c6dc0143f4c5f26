import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { nano } from '../../../test/support/ledger-row.ts'
import { brand } from '../../kit/brand.ts'
import type { Budget, BudgetId } from '../budget.ts'
import { BudgetMeter } from '../budgets/budget-meter.ts'
import { BudgetLeases } from './budget-leases.ts'
import type { Epoch } from './epoch.ts'
import { EpochEndedError } from './epoch-ended-error.ts'
import type { MeterStore } from './meter-store.ts'

const budget: Budget = {
  id: brand<BudgetId>('one'),
  name: 'one',
  scope: { type: 'installation' },
  limit: nano(1_000),
  window: { type: 'total' },
  mode: 'exact',
  atLimit: { type: 'refuse' },
  warnAt: [],
}

/** A process in its first epoch, at a store in which other processes have spent 300 of the budget. */
function openProcess(more: Partial<MeterStore> = {}) {
  const clock = createFakeClock()
  const reads: string[] = []
  const store: MeterStore = {
    lease: async () => [],
    readOthers: async (_epoch, counters) => {
      reads.push(...counters)
      return counters.map((counter) => ({
        counter,
        windowStartMs: 0,
        windowEndMs: undefined,
        spent: nano(300),
      }))
    },
    findTopValues: async () => [budget.id],
    ...more,
  }
  let endings = 0
  const leases = new BudgetLeases({
    store,
    clock,
    nowMs: () => clock.nowMs(),
    askOthers: () => undefined,
    onEpochEnded: () => {
      endings += 1
    },
  })
  const meter = new BudgetMeter({ isShared: true })
  const begin = (epoch: number) => {
    meter.restart([])
    leases.begin(brand<Epoch>(epoch), meter, clock.monotonicMs() + 60_000)
  }
  begin(1)
  const spent = () => meter.status({ budget }, clock.nowMs()).spent
  return { leases, begin, reads, spent, endings: () => endings }
}

it('a process learns what others have spent', async () => {
  const { leases, spent } = openProcess()
  expect(await leases.learnOthers([budget.id])).toBe(true)
  expect(spent()).toBe(300)
})

it('a correction that concerns no budget needs neither the store nor an epoch', async () => {
  const { leases, reads } = openProcess()
  leases.lapse()
  expect([await leases.learnOthers([]), reads]).toEqual([true, []])
})

it('a process without a valid epoch asks the store for nothing', async () => {
  const { leases, reads } = openProcess({
    findTopValues: () => Promise.reject(new EpochEndedError()),
  })
  leases.lapse()
  await leases.learnTopValues(budget.id, 10)
  expect([await leases.learnOthers([budget.id]), reads]).toEqual([false, []])
})

it('what others had spent when an earlier epoch asked is not counted in the present one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { leases, begin, spent } = openProcess({
    readOthers: async (_epoch, [counter = '']) => {
      await promise
      return [{ counter, windowStartMs: 0, windowEndMs: undefined, spent: nano(300) }]
    },
  })
  const learned = leases.learnOthers([budget.id])
  begin(2)
  resolve()
  expect([await learned, spent()]).toEqual([false, 0])
})

it.each(['readOthers', 'findTopValues'] as const)(
  'a process learns from %s that others ended its epoch',
  async (method) => {
    const { leases, endings } = openProcess({ [method]: () => Promise.reject(new EpochEndedError()) })
    await leases.learnTopValues(budget.id, 10)
    await leases.learnTopValues(budget.id, 10)
    expect(endings()).toBe(1)
  },
)
