import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createDelayedSave } from './delayed-save.ts'

function open() {
  const clock = createFakeClock()
  const failures: unknown[] = []
  const state = { isBroken: false, saves: 0 }
  const save = async () => {
    state.saves += 1
    if (state.isBroken) throw new Error('no disk')
  }
  const saving = createDelayedSave({ clock, save, onFailure: (error) => failures.push(error) })
  const pass = async (durationMs: number) => {
    clock.advance(durationMs)
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
  }
  return { clock, failures, state, saving, pass }
}

it('changes in quick succession are saved together', async () => {
  const { clock, state, saving, pass } = open()
  saving.schedule()
  saving.schedule()
  await pass(2_000)
  expect([state.saves, clock.pendingTimers]).toEqual([1, 0])
})

it('a failed save is retried, and each series of failures is reported once', async () => {
  const { failures, state, saving, pass } = open()
  for (const times of [1, 2]) {
    state.isBroken = true
    saving.schedule()
    await pass(2_000)
    await pass(30_000)
    expect(failures.length).toBe(times)
    state.isBroken = false
    await pass(30_000)
  }
  expect(state.saves).toBe(6)
})

it('closing saves once more, never rejects, and leaves no timer behind', async () => {
  const { clock, state, saving } = open()
  state.isBroken = true
  saving.schedule()
  await saving.close()
  saving.schedule()
  expect([state.saves, clock.pendingTimers]).toEqual([1, 0])
})
