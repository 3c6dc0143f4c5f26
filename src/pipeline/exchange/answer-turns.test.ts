import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { takeSteps } from '../relay/answer-steps.ts'
import { AnswerTurns } from './answer-budget.ts'

/** So many steps, each of which takes so long. */
function* stepsOf(count: number, step: () => void) {
  for (let taken = 0; taken < count; taken += 1) {
    step()
    yield
  }
  return count
}

function openScene(stepMs: number) {
  const clock = createFakeClock()
  let nowMs = 0
  clock.monotonicMs = () => nowMs
  const taken: string[] = []
  const step = (name: string) => () => {
    taken.push(name)
    nowMs += stepMs
  }
  return { clock, answerTurns: new AnswerTurns(clock), taken, step }
}

it('takes all steps of what is small at once', async () => {
  const { answerTurns, taken, step } = openScene(0)
  expect(await takeSteps(stepsOf(3, step('a')), answerTurns)).toBe(3)
  expect(taken).toEqual(['a', 'a', 'a'])
})

it('goes on in later turns once the turn has no time left, and lets others have theirs', async () => {
  const { clock, answerTurns, taken, step } = openScene(25)
  const both = [takeSteps(stepsOf(3, step('a')), answerTurns), takeSteps(stepsOf(3, step('b')), answerTurns)]
  expect(taken).toEqual(['a'])
  for (let turn = 0; turn < 12; turn += 1) {
    clock.advance(1)
    await Promise.resolve()
  }
  expect(await Promise.all(both)).toEqual([3, 3])
  expect(taken).toEqual(['a', 'a', 'b', 'a', 'b', 'b'])
})

it('fails with what a step throws in a later turn', async () => {
  const { clock, answerTurns, step } = openScene(25)
  const failing = takeSteps(
    stepsOf(3, () => {
      step('a')()
      if (clock.nowMs() > 0) throw new RangeError('too much')
    }),
    answerTurns,
  )
  clock.advance(1)
  await expect(failing).rejects.toThrow('too much')
})
