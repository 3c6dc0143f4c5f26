import { expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createFailure } from '../../canonical/failure.ts'
import { createSeededRandom } from '../../kit/values/seeded-random.ts'
import type { HealthSnapshot } from './health-store.ts'
import { HealthTracker } from './health-tracker.ts'
import { createHealthPersistence } from './persist-health.ts'

const one = createCandidate()

/** A store in memory that fails while it is told to. */
function openKept() {
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
    const book = new HealthTracker({ random: createSeededRandom(1), onChange: () => keeper.noteChange() })
    const keeper = createHealthPersistence({ book, store, clock, warn: (message) => warnings.push(message) })
    const refuse = () => {
      const nowMs = clock.monotonicMs()
      book.noteFailure(one, createFailure('upstream_credential'), { startedAtMs: nowMs, endedAtMs: nowMs })
    }
    const isShut = () => book.stateOf(one, clock.monotonicMs()).type === 'shut'
    return { book, keeper, refuse, isShut }
  }
  return { clock, saved, warnings, state, open }
}

async function settle() {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

it('changes are saved together within five seconds', async () => {
  const { clock, saved, open } = openKept()
  const { refuse } = open()
  refuse()
  refuse()
  clock.advance(5_000)
  await settle()
  expect(saved.map(({ gates }) => gates.map(({ reason }) => reason))).toEqual([['refused']])
  expect(clock.pendingTimers).toBe(0)
})

it('a store that fails is told of once, asked again later, and harms nobody', async () => {
  const { clock, saved, warnings, state, open } = openKept()
  const { refuse, isShut } = open()
  state.isBroken = true
  refuse()
  clock.advance(5_000)
  await settle()
  clock.advance(30_000)
  await settle()
  expect([warnings, isShut()]).toEqual([['the health of channels cannot be saved: no disk'], true])
  state.isBroken = false
  clock.advance(30_000)
  await settle()
  expect(saved.length).toBe(1)
})

it('what cannot be read counts as well', async () => {
  const { warnings, state, open } = openKept()
  state.isBroken = true
  const { keeper, isShut } = open()
  await keeper.load()
  expect(isShut()).toBe(false)
  expect(warnings).toEqual(['the stored health of channels cannot be read, so all start as healthy: no disk'])
})

it('what nobody asks for is kept over several restarts, until an operator has it forgotten', async () => {
  const { saved, open } = openKept()
  const first = open()
  first.refuse()
  await first.keeper.close()
  const second = open()
  await second.keeper.load()
  await second.keeper.close()
  const third = open()
  await third.keeper.load()
  expect(third.isShut()).toBe(true)
  await third.keeper.close()
  const fourth = open()
  await fourth.keeper.load()
  fourth.book.forget('c')
  expect(fourth.isShut()).toBe(false)
  await fourth.keeper.close()
  expect(saved.map(({ gates }) => gates.length)).toEqual([1, 1, 1, 0])
})

it('a clock that was set back makes no wait longer', async () => {
  const { saved, open } = openKept()
  const { refuse, keeper } = open()
  refuse()
  await keeper.close()
  const [snapshot] = saved
  const clock = createFakeClock(Date.parse('2025-01-01T00:00:00Z'))
  const book = new HealthTracker({ random: createSeededRandom(1) })
  if (snapshot !== undefined) book.restore(snapshot, clock)
  expect(book.stateOf(one, 0)).toMatchObject({ type: 'shut' })
  expect(book.stateOf(one, 16 * 60_000)).toMatchObject({ type: 'probe' })
})
