import { expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { LatencyTracker } from './latency-tracker.ts'

const { target } = createCandidate()

it('latency follows what was lately measured, streams apart from whole answers', () => {
  const book = new LatencyTracker()
  expect(book.of(target, true, 0)).toBeUndefined()
  for (let count = 0; count < 30; count += 1) book.note(target, { isStream: true, ms: 100, nowMs: count })
  book.note(target, { isStream: false, ms: 3_000, nowMs: 30 })
  expect(book.of(target, true, 30)).toBe(100)
  expect(book.of(target, false, 30)).toBe(3_000)
  book.note(target, { isStream: true, ms: 600, nowMs: 31 })
  expect(book.of(target, true, 31)).toBe(200)
  expect(book.report()).toEqual([{ channel: 'c', upstreamModel: 'm', streamMs: 200, wholeMs: 3_000 }])
})

it('latency that nobody measured for a while fades, until it is forgotten', () => {
  const book = new LatencyTracker()
  book.note(target, { isStream: true, ms: 400, nowMs: 0 })
  expect(book.of(target, true, 10_000)).toBe(400)
  expect(book.of(target, true, 40_000)).toBe(200)
  expect(book.of(target, true, 70_000)).toBe(100)
  expect(book.of(target, true, 600_001)).toBeUndefined()
})
