import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import { type ErrorCode, errorRow, errorTable } from '../canonical/error-table.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import { assessHealthImpact } from './health/assess-health-impact.ts'
import { judgeFailure, rulesOut } from './judge-failure.ts'

/** The verdict on a failure and what it says of the upstream, in one line. */
function describeFailure(failure: Failure): string {
  const verdict = judgeFailure(failure)
  const harm = assessHealthImpact(failure)
  const next =
    verdict.next === 'elsewhere'
      ? `${verdict.mayRetry ? 'retry, then ' : ''}not this ${verdict.excludes}`
      : verdict.next
  const effect =
    harm.type === 'cooldown'
      ? `${harm.scope} ${harm.reason} for ${harm.forMs}`
      : harm.type === 'failure'
        ? `counts for the ${harm.scope}`
        : 'no harm'
  return `${next}; ${effect}`
}

describe('a failure', () => {
  const rows: readonly (readonly [string, Failure, string])[] = [
    [
      'F1, F2: unreachable',
      createFailure('upstream_unreachable'),
      'retry, then not this channel; counts for the channel',
    ],
    ['F3: TLS', createFailure('upstream_tls'), 'not this channel; channel insecure for 60000'],
    ['F5, F6, F7, F39: silence', createFailure('upstream_timeout'), 'not this target; counts for the model'],
    [
      'F8, F27, F28: broken off',
      createFailure('upstream_disconnected'),
      'retry, then not this target; counts for the model',
    ],
    [
      'F9, F10, F11, F30, F36, F41, F43: unreadable',
      createFailure('upstream_bad_response'),
      'not this target; counts for the model',
    ],
    [
      'F13: rate limit',
      createFailure('upstream_rate_limited'),
      'retry, then not this model-at-credential; model rate-limited for undefined',
    ],
    [
      'F13: rate limit with a time',
      createFailure('upstream_rate_limited', { retryAfterSeconds: 2 }),
      'retry, then not this model-at-credential; model rate-limited for 2000',
    ],
    [
      'F13: rate limit with a time past belief',
      createFailure('upstream_rate_limited', { retryAfterSeconds: 1e9 }),
      'retry, then not this model-at-credential; model rate-limited for 3600000',
    ],
    [
      'F14: out of credit',
      createFailure('upstream_quota'),
      'not this credential; credential out-of-credit for 600000',
    ],
    [
      'F15: server error',
      createFailure('upstream_error'),
      'retry, then not this target; counts for the model',
    ],
    [
      'F16: overloaded',
      createFailure('upstream_overloaded'),
      'retry, then not this target; counts for the model',
    ],
    [
      'F16: overloaded with a time',
      createFailure('upstream_overloaded', { retryAfterSeconds: 7 }),
      'retry, then not this target; model overloaded for 7000',
    ],
    [
      'F17: refused credential',
      createFailure('upstream_credential'),
      'not this credential; credential refused for 600000',
    ],
    [
      'F17: refused model',
      createFailure('upstream_credential', { upstream: { status: 403 } }),
      'not this model-at-credential; model refused for 600000',
    ],
    [
      'F18: no such model',
      createFailure('upstream_model_missing'),
      'not this target; model model-missing for 60000',
    ],
    ['F19: too long', createFailure('context_length_exceeded'), 'larger; no harm'],
    ['F20: refused request', createFailure('upstream_rejected'), 'stop; no harm'],
    ['F21: too large', createFailure('request_too_large'), 'larger; no harm'],
    ['F22: content policy', createFailure('content_policy_violation'), 'stop; no harm'],
    ['F23: empty', createFailure('upstream_empty'), 'retry, then not this target; counts for the model'],
    ['F45: caller left', createFailure('client_closed_request'), 'stop; no harm'],
    ['F46: shutting down', createFailure('shutting_down'), 'stop; no harm'],
  ]
  for (const [name, failure, told] of rows) {
    it(`${name}: ${told}`, () => expect(describeFailure(failure)).toBe(told))
  }

  it('of the caller or of the gateway is never held against an upstream', () => {
    const codes = Object.keys(errorTable).filter((code): code is ErrorCode => Object.hasOwn(errorTable, code))
    for (const code of codes) {
      const { blame } = errorRow(code)
      if (blame === 'caller' || blame === 'gateway')
        expect(assessHealthImpact(createFailure(code)).type, code).toBe('none')
    }
  })
})

describe('a request that is too long', () => {
  const small = createCandidate({ name: 'small', capabilities: { contextWindowTokens: 8_192 } })
  const large = createCandidate({ name: 'large', capabilities: { contextWindowTokens: 200_000 } })
  const undeclared = createCandidate({ name: 'undeclared' })
  const tooLong = (message?: string) =>
    judgeFailure(
      createFailure(
        'context_length_exceeded',
        message === undefined ? {} : { upstream: { status: 400, message } },
      ),
    )

  it('goes only to a target with a larger declared context', () => {
    expect(rulesOut(tooLong(), small, large)).toBe(false)
    expect(rulesOut(tooLong(), large, small)).toBe(true)
    expect(rulesOut(tooLong(), small, undeclared)).toBe(true)
    expect(rulesOut(tooLong(), undeclared, large)).toBe(true)
  })

  it('follows the provider’s message when nothing is declared, and never goes to a target that is known to be too small', () => {
    const words =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 12,345 tokens."
    expect(tooLong(words)).toEqual({ next: 'larger', statedTokens: 12_345 })
    expect(rulesOut(tooLong(words), undeclared, large)).toBe(false)
    expect(rulesOut(tooLong('prompt is too long: 210000 tokens > 200000 maximum'), small, large)).toBe(true)
  })
})
