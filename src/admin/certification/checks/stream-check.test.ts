import { expect, it } from 'vitest'
import { answered, runCheck, saidText } from '../../../../test/support/certification/run-check.ts'
import { streamCheck } from './stream-check.ts'

const judge = (contentAtMs: readonly number[], totalMs: number) =>
  runCheck(streamCheck, answered(saidText('1 2 3'), { contentAtMs, totalMs })).verdict

it('works where the pieces come over time', () => {
  expect(judge([100, 150, 220], 300)).toEqual({
    outcome: 'works',
    finding: 'streamed',
    details: { events: 3, spread_ms: 120, total_ms: 300 },
  })
})

it('takes pieces that come at once at the end as held back', () => {
  expect(judge([990, 991, 992], 1_000).finding).toBe('buffered')
})

it('takes a long spread as a stream, however long its beginning took', () => {
  expect(judge([59_700, 59_800, 59_950], 60_000).finding).toBe('streamed')
  expect(judge([59_701, 59_800, 59_950], 60_000).finding).toBe('buffered')
})

it('does not work with less than three pieces', () => {
  expect(judge([10, 900], 1_000).finding).toBe('few_events')
})
