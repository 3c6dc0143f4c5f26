import { expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createFailure } from '../../canonical/failure.ts'
import { createSeededRandom } from '../../kit/random/seeded-random.ts'
import type { HealthSnapshot } from './health-store.ts'
import { HealthTracker } from './health-tracker.ts'
import { createHealthPersistence } from './persist-health.ts'

const one = createCandidate()

/** A store in memory that fails on request. */
function openStored() {
  const clock = createFakeClock()
  const saved: HealthSnapshot[] = []
  const warnings: string[] = []
  const state = { isBroken: false }
  const store = {
    async load() {
      if (state.isBroken) throw new Error('no disk')
      return saved.at(-1)
    },
    async save(snapshot: HealthSnapshot) {
      if (state.isBroken) throw new Error('no disk')
      saved.push(snapshot)
    },
  }
  const open = () => {
    const tracker = new HealthTracker({ random: createSeededRandom(1), onChange: () => keeper.saveSoon() })
    const keeper = createHealthPersistence({
      tracker,
      store,
      clock,
      warn: (message) => warnings.push(message),
    })
    const refuse = () => {
      const monotonicMs = clock.monotonicMs()
      tracker.recordFailure(one, createFailure('upstream_credential'), {
        startedAtMs: monotonicMs,
        endedAtMs: monotonicMs,
      })
    }
    const isOpen = () => tracker.stateOf(one, clock.monotonicMs()).type === 'open'
    return { tracker, keeper, refuse, isOpen }
  }
  return { clock, saved, warnings, state, open }
}

async function settle() {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

it('changes are saved together within five seconds', async () => {
  const { clock, saved, open } = openStored()
  const { refuse } = open()
  refuse()
  refuse()
  clock.advance(5_000)
  await settle()
  expect(saved.map(({ breakers }) => breakers.map(({ reason }) => reason))).toEqual([['refused']])
  expect(clock.pendingTimers).toBe(0)
})

it('a failing store is reported once, tried again later, and disturbs no request', async () => {
  const { clock, saved, warnings, state, open } = openStored()
  const { refuse, isOpen } = open()
  state.isBroken = true
  refuse()
  clock.advance(5_000)
  await settle()
  clock.advance(30_000)
  await settle()
  expect([warnings, isOpen()]).toEqual([['the health of channels cannot be saved: no disk'], true])
  state.isBroken = false
  clock.advance(30_000)
  await settle()
  expect(saved.length).toBe(1)
})

it('stored health that cannot be read starts every channel as healthy', async () => {
  const { warnings, state, open } = openStored()
  state.isBroken = true
  const { keeper, isOpen } = open()
  await keeper.load()
  expect(isOpen()).toBe(false)
  expect(warnings).toEqual(['the stored health of channels cannot be read, so all start as healthy: no disk'])
})

it('a record that no request uses survives several restarts, until an operator deletes it', async () => {
  const { saved, open } = openStored()
  const first = open()
  first.refuse()
  await first.keeper.close()
  const second = open()
  await second.keeper.load()
  await second.keeper.close()
  const third = open()
  await third.keeper.load()
  expect(third.isOpen()).toBe(true)
  await third.keeper.close()
  const fourth = open()
  await fourth.keeper.load()
  fourth.tracker.forget('c')
  expect(fourth.isOpen()).toBe(false)
  await fourth.keeper.close()
  expect(saved.map(({ breakers }) => breakers.length)).toEqual([1, 1, 1, 0])
})

it('a clock that was set back makes no wait longer', async () => {
  const { saved, open } = openStored()
  const { refuse, keeper } = open()
  refuse()
  await keeper.close()
  const [snapshot] = saved
  const clock = createFakeClock(Date.parse('2025-01-01T00:00:00Z'))
  const tracker = new HealthTracker({ random: createSeededRandom(1) })
  if (snapshot !== undefined) tracker.restore(snapshot, clock)
  expect(tracker.stateOf(one, 0)).toMatchObject({ type: 'open' })
  expect(tracker.stateOf(one, 16 * 60_000)).toMatchObject({ type: 'half-open-due' })
})
