import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { until } from '../../../test/support/until.ts'
import { brand } from '../../kit/brand.ts'
import { CreditBudgets } from '../../metering/credits/credit-budget.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { SharedMeter } from './shared-meter.ts'

const ORPHANS_EVERY_MS = 15_000
const doNothing = () => undefined
const noSums = { counters: [], openIntents: [] }

it('a fault of the settlement of orphans is reported once in each series, and it is tried again', async () => {
  const [clock, warnings] = [createFakeClock(), [] as string[]]
  const faults = ['an intent cannot be read', 'an intent cannot be read', undefined, 'no answer']
  let tries = 0
  const meter = new SharedMeter({
    shared: {
      meterStore: { lease: async () => [], readOthers: async () => [], findTopValues: async () => [] },
      calls: { announceNeed: doNothing },
      node: { epoch: () => brand<Epoch>(1), validUntilMs: 1e9, restart: doNothing },
      work: { isMine: () => true, mayGoOn: () => true },
      ledger: {
        load: async () => noSums,
        commit: async () => undefined,
        async findOrphans() {
          const fault = faults[tries]
          tries += 1
          if (fault !== undefined) throw new Error(fault)
          return []
        },
      },
    },
    clock,
    events: { onThreshold: doNothing },
    creditStore: { loadCredits: async () => ({ grants: [], changes: [] }) },
    credits: new CreditBudgets(),
    warn: (message) => warnings.push(message),
  })
  await meter.start(doNothing)
  for (let runs = 1; runs <= faults.length; runs += 1) {
    const pending = clock.pendingTimers
    clock.advance(ORPHANS_EVERY_MS)
    await until('the run has ended', () => tries === runs && clock.pendingTimers >= pending)
  }
  const prefix = 'attempts that dead nodes left unsettled could not be settled, and it is tried again'
  expect(warnings).toEqual([`${prefix}: an intent cannot be read`, `${prefix}: no answer`])
  await meter.stop()
})
