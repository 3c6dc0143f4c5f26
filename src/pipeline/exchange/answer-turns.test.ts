import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { runSteps } from '../relay/answer-steps.ts'
import { AnswerTurns } from './answer-budget.ts'

/** So many steps, each of which takes so long. */
function* stepsOf(count: number, step: () => void) {
  for (let started = 0; started < count; started += 1) {
    step()
    yield
  }
  return count
}

function openScene(stepMs: number) {
  const clock = createFakeClock()
  let nowMs = 0
  clock.monotonicMs = () => nowMs
  const done: string[] = []
  const step = (name: string) => () => {
    done.push(name)
    nowMs += stepMs
  }
  return { clock, answerTurns: new AnswerTurns(clock), done, step }
}

it('runs all steps of a small answer at once', async () => {
  const { answerTurns, done, step } = openScene(0)
  expect(await runSteps(stepsOf(3, step('a')), answerTurns)).toBe(3)
  expect(done).toEqual(['a', 'a', 'a'])
})

it('continues in later turns once the turn has no time left, and lets other work run between', async () => {
  const { clock, answerTurns, done, step } = openScene(25)
  const both = [runSteps(stepsOf(3, step('a')), answerTurns), runSteps(stepsOf(3, step('b')), answerTurns)]
  expect(done).toEqual(['a'])
  for (let turn = 0; turn < 12; turn += 1) {
    clock.advance(1)
    await Promise.resolve()
  }
  expect(await Promise.all(both)).toEqual([3, 3])
  expect(done).toEqual(['a', 'a', 'b', 'a', 'b', 'b'])
})

it('fails with the error that a step throws in a later turn', async () => {
  const { clock, answerTurns, step } = openScene(25)
  const failing = runSteps(
    stepsOf(3, () => {
      step('a')()
      if (clock.nowMs() > 0) throw new RangeError('too much')
    }),
    answerTurns,
  )
  clock.advance(1)
  await expect(failing).rejects.toThrow('too much')
})
