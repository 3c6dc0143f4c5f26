import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../test/support/create-candidate.ts'
import { fail } from '../../test/support/simulate-routing.ts'
import type { ErrorCode } from '../canonical/error-table.ts'
import { chooseFailure } from './choose-failure.ts'

/** The failure of a request whose targets failed with these codes, one after the other. */
function choose(...failures: readonly (ErrorCode | readonly [ErrorCode, number])[]) {
  return chooseFailure(
    failures.map((each, index) => {
      const [code, retryAfterSeconds] = typeof each === 'string' ? [each, undefined] : each
      const { target } = createCandidate({ name: `target-${index}` })
      return { target, failure: fail(code, retryAfterSeconds) }
    }),
  )
}

describe('the failure of a request', () => {
  it('is that of the caller, whichever target found it', () => {
    expect(choose('upstream_rejected', 'upstream_error').code).toBe('upstream_rejected')
    expect(choose('upstream_error', 'upstream_rejected').code).toBe('upstream_rejected')
  })

  it('is a rate limit only if no target failed by itself', () => {
    expect(choose('upstream_error', 'upstream_rate_limited').code).toBe('upstream_error')
    expect(choose('upstream_credential', 'upstream_rate_limited').code).toBe('upstream_rate_limited')
  })

  it('names the shortest wait of all targets, if waiting helps', () => {
    const chosen = choose(['upstream_rate_limited', 9], ['upstream_rate_limited', 3])
    expect(chosen.retryAfterSeconds).toBe(3)
  })

  it('says how each target failed, if they differ', () => {
    expect(choose('upstream_error', 'upstream_timeout').message).toMatch(
      /2 targets were asked: upstream_error, upstream_timeout\.$/,
    )
    expect(choose('upstream_error', 'upstream_error').message).not.toMatch(/targets were asked/)
  })

  it('is not that of a target without the operation, if another target has it', () => {
    expect(choose('upstream_error', 'operation_not_supported').code).toBe('upstream_error')
    expect(choose('operation_not_supported').code).toBe('operation_not_supported')
  })

  it('is that of no channel, if no target was called', () => {
    expect(choose().code).toBe('no_channel')
  })
})
