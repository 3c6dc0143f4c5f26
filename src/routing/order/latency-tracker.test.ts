import { expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { LatencyTracker } from './latency-tracker.ts'

const { target } = createCandidate()

it('latency follows recent measurements, with streams apart from whole answers', () => {
  const tracker = new LatencyTracker()
  expect(tracker.of(target, true, 0)).toBeUndefined()
  for (let count = 0; count < 30; count += 1)
    tracker.record(target, { isStream: true, ms: 100, monotonicMs: count })
  tracker.record(target, { isStream: false, ms: 3_000, monotonicMs: 30 })
  expect(tracker.of(target, true, 30)).toBe(100)
  expect(tracker.of(target, false, 30)).toBe(3_000)
  tracker.record(target, { isStream: true, ms: 600, monotonicMs: 31 })
  expect(tracker.of(target, true, 31)).toBe(200)
  expect(tracker.report()).toEqual([{ channel: 'c', upstreamModel: 'm', streamMs: 200, wholeMs: 3_000 }])
})

it('latency without new measurements fades, until it is forgotten', () => {
  const tracker = new LatencyTracker()
  tracker.record(target, { isStream: true, ms: 400, monotonicMs: 0 })
  expect(tracker.of(target, true, 10_000)).toBe(400)
  expect(tracker.of(target, true, 40_000)).toBe(200)
  expect(tracker.of(target, true, 70_000)).toBe(100)
  expect(tracker.of(target, true, 600_001)).toBeUndefined()
})
