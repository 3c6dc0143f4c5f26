import { expect, it } from 'vitest'
import { countPauses } from '../../../test/support/count-pauses.ts'
import { flatMapInSteps, ITEMS_A_STEP, mapInSteps, runToEnd } from './steps.ts'

const many = Array.from({ length: ITEMS_A_STEP * 3 + 1 }, (_, index) => index)
const few = many.slice(0, ITEMS_A_STEP)

it('runs all steps and returns the value', () => {
  const steps = (function* () {
    yield
    yield
    return 'done'
  })()
  expect(runToEnd(steps)).toBe('done')
})

it('maps a long list like map, with a pause after each part', () => {
  const { value, pauses } = countPauses(mapInSteps(many, (item, index) => item + index))
  expect(value).toEqual(many.map((item, index) => item + index))
  expect(pauses).toBe(3)
})

it('maps a long list like flatMap, with a pause after each part', () => {
  const twice = (item: number) => (item % 2 === 0 ? [item, item] : [])
  const { value, pauses } = countPauses(flatMapInSteps(many, twice))
  expect(value).toEqual(many.flatMap(twice))
  expect(pauses).toBe(3)
})

it('does not pause for a short list', () => {
  expect(countPauses(mapInSteps(few, String)).pauses).toBe(0)
  expect(countPauses(flatMapInSteps(few, (item) => [item])).pauses).toBe(0)
})
