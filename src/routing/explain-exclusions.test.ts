import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import { explainExclusions } from './explain-exclusions.ts'
import type { ExclusionReason } from './plan-attempts.ts'

function explain(...reasons: readonly (readonly [ExclusionReason, number?])[]) {
  const { target, credential } = createCandidate()
  const excluded = reasons.map(([reason, untilMs]) => ({
    target,
    credential,
    publicName: 'm',
    reason,
    untilMs,
  }))
  const { code, retryAfterSeconds } = explainExclusions(excluded, 1_000)
  return `${code} ${retryAfterSeconds}`
}

describe('the error when no target can be called', () => {
  it('names the condition that waiting resolves, and when the first target is back', () => {
    expect(explain(['refused', 2_000], ['rate-limited', 13_500], ['failing', 5_001])).toBe(
      'upstream_overloaded 4',
    )
    expect(explain(['refused', 2_000], ['rate-limited', 13_500])).toBe('upstream_rate_limited 13')
    expect(explain(['failing', 1_001])).toBe('upstream_overloaded 1')
  })

  it('names no wait that SDKs would refuse', () => {
    expect(explain(['rate-limited', 3_600_000])).toBe('upstream_rate_limited 60')
  })

  it('names the condition that an operator must fix, when nothing else is in the way', () => {
    expect(explain(['out-of-credit', 5_000], ['refused', 5_000])).toBe('upstream_quota undefined')
  })

  it('is no_channel when no target was left out', () => {
    expect(explain()).toBe('no_channel undefined')
  })
})
