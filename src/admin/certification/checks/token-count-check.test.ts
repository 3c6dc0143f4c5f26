import { expect, it } from 'vitest'
import {
  answered,
  observed,
  refused,
  runCheck,
  saidText,
} from '../../../../test/support/certification/run-check.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { tokenCountCheck } from './token-count-check.ts'

const counted = (inputTokens: number) => observed({ type: 'count', inputTokens })
const billed = (usage: Partial<Usage>) => answered(saidText('Yes.'), { usage: { ...noUsage, ...usage } })

it('passes if the count equals the billed input, cached input included', () => {
  const { verdict } = runCheck(
    tokenCountCheck,
    counted(40),
    billed({ freshInputTokens: 10, cacheReadTokens: 30 }),
  )
  expect(verdict).toEqual({ outcome: 'works', finding: 'count_fits', details: { counted: 40, billed: 40 } })
})

it('allows a difference of eight tokens, or a twentieth for long prompts', () => {
  const judge = (count: number, freshInputTokens: number) =>
    runCheck(tokenCountCheck, counted(count), billed({ freshInputTokens })).verdict.finding
  expect(judge(32, 40)).toBe('count_fits')
  expect(judge(31, 40)).toBe('count_differs')
  expect(judge(1_050, 1_000)).toBe('count_fits')
  expect(judge(1_051, 1_000)).toBe('count_differs')
})

it('does not compare the count with an estimate of the gateway', () => {
  const { verdict } = runCheck(
    tokenCountCheck,
    counted(40),
    billed({ freshInputTokens: 40, isEstimated: true }),
  )
  expect(verdict.finding).toBe('no_usage')
})

it('requests no answer if the count is refused', () => {
  expect(runCheck(tokenCountCheck, refused('upstream_rejected')).calls).toHaveLength(1)
})
