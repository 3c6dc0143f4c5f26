import { expect, it } from 'vitest'
import { BodyBudget } from './body-budget.ts'

const KILOBYTE = 1024
const room = { heldBodyBytes: 1600 * KILOBYTE, heldBodyBytesOfKey: 800 * KILOBYTE }

it('keeps room for other keys from a key that asks for all', () => {
  const budget = new BodyBudget(room)
  expect(budget.open('greedy').grow(600 * KILOBYTE)).toBeUndefined()
  expect(budget.open('greedy').grow(600 * KILOBYTE)).toBe('key')
  expect(budget.open('other').grow(600 * KILOBYTE)).toBeUndefined()
  expect(budget.open('third').grow(600 * KILOBYTE)).toBe('all')
})

it('keeps room for small bodies from large ones', () => {
  const budget = new BodyBudget(room)
  budget.open('a').grow(350 * KILOBYTE)
  expect(budget.open('a').grow(350 * KILOBYTE)).toBeUndefined()
  expect(budget.open('a').grow(65 * KILOBYTE)).toBe('key')
  expect(budget.open('a').grow(64 * KILOBYTE)).toBeUndefined()
})

it('bounds small bodies too', () => {
  const budget = new BodyBudget(room)
  const grown = Array.from({ length: 13 }, () => budget.open('a').grow(64 * KILOBYTE))
  expect(grown.filter((full) => full === 'key')).toHaveLength(1)
})

it('lets a body that is alone have all', () => {
  expect(new BodyBudget(room).open('a').grow(800 * KILOBYTE)).toBeUndefined()
})

it('lets a body that grows have what its whole size may have', () => {
  const budget = new BodyBudget(room)
  budget.open('a').grow(680 * KILOBYTE)
  const growing = budget.open('a')
  expect(growing.grow(60 * KILOBYTE)).toBeUndefined()
  expect(growing.grow(10 * KILOBYTE)).toBe('key')
})

it('gives everything back once, however often it is told to', () => {
  const budget = new BodyBudget(room)
  const hold = budget.open('a')
  hold.grow(100)
  hold.grow(100)
  budget.open('b').grow(10)
  hold.release()
  hold.release()
  expect(budget.heldBytes).toBe(10)
})

it('takes nothing where there is no room', () => {
  const budget = new BodyBudget(room)
  const hold = budget.open('a')
  hold.grow(801 * KILOBYTE)
  expect(budget.heldBytes).toBe(0)
})

it('judges by the limits of the moment', () => {
  const limits = { ...room }
  const budget = new BodyBudget(limits)
  budget.open('a').grow(300 * KILOBYTE)
  Object.assign(limits, { heldBodyBytesOfKey: 300 * KILOBYTE })
  expect(budget.open('a').grow(1)).toBe('key')
})
