import { expect, it } from 'vitest'
import { type AttemptTimeoutFacts, planTimeouts } from './plan-timeouts.ts'

const plain: AttemptTimeoutFacts = {
  hasOther: true,
  mayReason: false,
  loadsModels: false,
  inputBytes: 200,
  usualMs: undefined,
  wholeMs: 600_000,
  progressMs: 180_000,
}

it.each<[string, Partial<AttemptTimeoutFacts>, number]>([
  ['a small prompt, and another target left', {}, 12],
  ['nothing else left', { hasOther: false }, 600],
  ['a model that may reason, and another target left', { mayReason: true }, 600],
  ['a prompt of 100 KB', { inputBytes: 100 * 1024 }, 22.5],
  ['a prompt of 4 MB', { inputBytes: 4 * 1024 * 1024 }, 60],
  ['a target that usually takes 9 s', { usualMs: 9_000 }, 27],
  ['a target that usually takes 40 s', { usualMs: 40_000 }, 60],
  ['a server that loads its models when they are asked for', { loadsModels: true }, 60],
])('%s: the timeout of the first content is %d s', (_what, facts, seconds) => {
  expect(planTimeouts({ ...plain, ...facts }).firstContentMs).toBe(seconds * 1_000)
})

it('the idle timeout within an answer is longer when the model may reason', () => {
  expect(planTimeouts(plain).idleMs).toBe(60_000)
  expect(planTimeouts({ ...plain, mayReason: true }).idleMs).toBe(180_000)
})
