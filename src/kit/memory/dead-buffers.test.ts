import { expect, test } from 'vitest'
import { DeadBuffers } from './dead-buffers.ts'

const MEGABYTE = 1024 * 1024

function collections(sizes: readonly number[]): number {
  let count = 0
  const dead = new DeadBuffers(() => {
    count += 1
  })
  for (const size of sizes) dead.add(size)
  return count
}

test('a minor garbage collection runs once for each 20 MB of dead buffers', () => {
  expect(collections(Array.from({ length: 100 }, () => MEGABYTE))).toBe(5)
})

test('less than 20 MB of dead buffers triggers no collection', () => {
  expect(collections([19 * MEGABYTE])).toBe(0)
})

test('one larger buffer triggers one collection', () => {
  expect(collections([300 * MEGABYTE, MEGABYTE])).toBe(1)
})
