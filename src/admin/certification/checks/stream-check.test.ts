import { expect, it } from 'vitest'
import { answered, runCheck, saidText } from '../../../../test/support/certification/run-check.ts'
import { streamCheck } from './stream-check.ts'

const judge = (contentAtMs: readonly number[], totalMs: number) =>
  runCheck(streamCheck, answered(saidText('1 2 3'), { contentAtMs, totalMs })).verdict

it('passes if the chunks arrive over time', () => {
  expect(judge([100, 150, 220], 300)).toEqual({
    outcome: 'works',
    finding: 'streamed',
    details: { events: 3, spread_ms: 120, total_ms: 300 },
  })
})

it('reports chunks that all arrive at the end as buffered', () => {
  expect(judge([990, 991, 992], 1_000).finding).toBe('buffered')
})

it('reports chunks with a long enough spread as a stream, however late the first one arrives', () => {
  expect(judge([59_700, 59_800, 59_950], 60_000).finding).toBe('streamed')
  expect(judge([59_701, 59_800, 59_950], 60_000).finding).toBe('buffered')
})

it('fails with fewer than three chunks', () => {
  expect(judge([10, 900], 1_000).finding).toBe('few_events')
})
