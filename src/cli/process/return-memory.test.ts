import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { returnMemoryWhenQuiet } from './return-memory.ts'

const MB = 1024 * 1024

const nobodyWatches = () => undefined

function openWatch(heapMb = 30) {
  const clock = createFakeClock()
  const process = { heapMb, busyShare: 0.1, isFavored: false, times: 0, collect: (): void => nobodyWatches() }
  returnMemoryWhenQuiet({
    hasStartLeft: true,
    clock,
    heapBytes: () => process.heapMb * MB,
    busyShare: () => process.busyShare,
    favorMemory: (isFavored) => {
      process.isFavored = isFavored
      if (isFavored) process.times += 1
    },
    watchCollections: (onCollection) => {
      process.collect = onCollection
      return () => {
        process.collect = nobodyWatches
      }
    },
  })
  return { clock, process }
}

it('does not request memory back during the ordinary heap changes of traffic', () => {
  const { clock, process } = openWatch()
  for (const heapMb of [50, 90, 30, 80]) {
    process.heapMb = heapMb
    clock.advance(10_000)
  }
  expect(process.times).toBe(0)
})

it('requests memory back for 20 s after the heap was large, even if it is small again', () => {
  const { clock, process } = openWatch()
  process.busyShare = 0.9
  process.heapMb = 200
  clock.advance(5_000)
  expect(process.isFavored).toBe(false)
  process.busyShare = 0.1
  process.heapMb = 60
  clock.advance(1_000)
  expect(process.isFavored).toBe(true)
  clock.advance(21_000)
  expect(process.isFavored).toBe(false)
  clock.advance(60_000)
  expect(process.times).toBe(1)
})

it('pauses while the process is busy, and requests memory back again afterwards', () => {
  const { clock, process } = openWatch()
  process.heapMb = 200
  clock.advance(3_000)
  expect(process.isFavored).toBe(true)
  process.busyShare = 0.9
  clock.advance(1_000)
  expect(process.isFavored).toBe(false)
  process.busyShare = 0.1
  clock.advance(1_000)
  expect(process.isFavored).toBe(true)
})

it('does not repeat the request for memory that is still in use', () => {
  const { clock, process } = openWatch()
  process.heapMb = 200
  clock.advance(120_000)
  expect(process.times).toBe(1)
  process.heapMb = 270
  clock.advance(1_000)
  expect(process.times).toBe(2)
})

it('requests once the memory that startup has left behind', () => {
  const { clock, process } = openWatch(50)
  clock.advance(2_000)
  expect(process.isFavored).toBe(true)
  clock.advance(60_000)
  expect([process.isFavored, process.times]).toEqual([false, 1])
})

it('stops after two garbage collections', () => {
  const { clock, process } = openWatch(50)
  clock.advance(2_000)
  process.collect()
  expect(process.isFavored).toBe(true)
  process.collect()
  expect(process.isFavored).toBe(false)
  clock.advance(60_000)
  expect(process.times).toBe(1)
})
