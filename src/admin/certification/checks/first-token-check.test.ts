import { expect, it } from 'vitest'
import { answered, runCheck, saidText } from '../../../../test/support/certification/run-check.ts'
import { firstTokenCheck } from './first-token-check.ts'

const streamed = (...contentAtMs: readonly number[]) => answered(saidText('Hello.'), { contentAtMs })

it('reports the median time to first token, whichever call was slow', () => {
  const { verdict, calls } = runCheck(firstTokenCheck, streamed(900, 950), streamed(40.4), streamed(60))
  expect(verdict).toEqual({ outcome: 'works', finding: 'first_token', details: { median_ms: 60, calls: 3 } })
  expect(calls).toHaveLength(firstTokenCheck.bounds.calls)
})

it('requests streams', () => {
  const { calls } = runCheck(firstTokenCheck, streamed(1), streamed(1), streamed(1))
  expect(calls.map((call) => call.type === 'conversation' && call.request.stream)).toEqual([true, true, true])
})

it('stops at the first stream without text', () => {
  const { verdict, calls } = runCheck(firstTokenCheck, streamed(10), streamed())
  expect(verdict.finding).toBe('no_text')
  expect(calls).toHaveLength(2)
})
