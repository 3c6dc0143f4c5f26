import { expect, it } from 'vitest'
import { BodyBudget } from './body-budget.ts'

const KILOBYTE = 1024
const room = { heldBodyBytes: 1600 * KILOBYTE, heldBodyBytesOfKey: 800 * KILOBYTE }

it('keeps room for other keys when one key uses its whole share', () => {
  const budget = new BodyBudget(room)
  expect(budget.open('greedy').grow(600 * KILOBYTE)).toBeUndefined()
  expect(budget.open('greedy').grow(600 * KILOBYTE)).toBe('key')
  expect(budget.open('other').grow(600 * KILOBYTE)).toBeUndefined()
  expect(budget.open('third').grow(600 * KILOBYTE)).toBe('all')
})

it('keeps room for small bodies next to large ones', () => {
  const budget = new BodyBudget(room)
  budget.open('a').grow(350 * KILOBYTE)
  expect(budget.open('a').grow(350 * KILOBYTE)).toBeUndefined()
  expect(budget.open('a').grow(65 * KILOBYTE)).toBe('key')
  expect(budget.open('a').grow(64 * KILOBYTE)).toBeUndefined()
})

it('limits small bodies too', () => {
  const budget = new BodyBudget(room)
  const grown = Array.from({ length: 13 }, () => budget.open('a').grow(64 * KILOBYTE))
  expect(grown.filter((full) => full === 'key')).toHaveLength(1)
})

it('lets a single body use all the room', () => {
  expect(new BodyBudget(room).open('a').grow(800 * KILOBYTE)).toBeUndefined()
})

it('lets a growing body have as much as its whole size would get', () => {
  const budget = new BodyBudget(room)
  budget.open('a').grow(680 * KILOBYTE)
  const growing = budget.open('a')
  expect(growing.grow(60 * KILOBYTE)).toBeUndefined()
  expect(growing.grow(10 * KILOBYTE)).toBe('key')
})

it('returns its bytes only once, however often it is released', () => {
  const budget = new BodyBudget(room)
  const hold = budget.open('a')
  hold.grow(100)
  hold.grow(100)
  budget.open('b').grow(10)
  hold.release()
  hold.release()
  expect(budget.heldBytes).toBe(10)
})

it('reserves nothing if there is no room', () => {
  const budget = new BodyBudget(room)
  const hold = budget.open('a')
  hold.grow(801 * KILOBYTE)
  expect(budget.heldBytes).toBe(0)
})

it('applies the current limits', () => {
  const limits = { ...room }
  const budget = new BodyBudget(limits)
  budget.open('a').grow(300 * KILOBYTE)
  Object.assign(limits, { heldBodyBytesOfKey: 300 * KILOBYTE })
  expect(budget.open('a').grow(1)).toBe('key')
})
