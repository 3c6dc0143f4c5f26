import { describe, expect, it } from 'vitest'
import { errorTable, isErrorCode } from '../../canonical/error-table.ts'
import { createFailure } from '../../canonical/failure.ts'
import { writeError, writeErrorEvent } from './write-error.ts'

describe('an error for callers of the chat format', () => {
  it('has four fields, with null for the empty ones', () => {
    const failure = createFailure('invalid_field', { message: 'Bad.', param: 'messages[0].role' })
    expect(writeError(failure)).toEqual({
      status: 400,
      headers: { 'x-should-retry': 'false' },
      body: {
        error: {
          message: 'Bad.',
          type: 'invalid_request_error',
          param: 'messages[0].role',
          code: 'invalid_field',
        },
      },
    })
    expect(writeErrorEvent(createFailure('upstream_timeout', { message: 'Late.' }))).toBe(
      'data: {"error":{"message":"Late.","type":"timeout_error","param":null,"code":"upstream_timeout"}}\n\n',
    )
  })

  it('names the wait, in whole seconds', () => {
    const limited = createFailure('upstream_rate_limited', { retryAfterSeconds: 2.4 })
    expect(writeError(limited)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
    })
    expect(writeError(createFailure('upstream_overloaded')).headers).toEqual({ 'retry-after': '1' })
  })

  it('names a wait in parts of a second in milliseconds, too', () => {
    const headersAt = (retryAfterSeconds: number) =>
      writeError(createFailure('rate_limit_exceeded', { retryAfterSeconds })).headers
    expect(headersAt(0.0125)).toEqual({ 'retry-after': '1', 'retry-after-ms': '13' })
    expect(headersAt(2.5)).toEqual({ 'retry-after': '3', 'retry-after-ms': '2500' })
    expect(headersAt(99.5)).toEqual({ 'retry-after': '60', 'retry-after-ms': '60000' })
    expect(headersAt(2)).toEqual({ 'retry-after': '2' })
  })

  it('of a spent budget has the code of a spent quota, and is not to be repeated', () => {
    expect(writeError(createFailure('budget_exceeded'))).toMatchObject({
      status: 429,
      headers: { 'x-should-retry': 'false' },
      body: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
    })
  })

  it('names no wait over a minute, which an SDK would sit out', () => {
    const limited = createFailure('upstream_rate_limited', { retryAfterSeconds: 900 })
    expect(writeError(limited).headers).toEqual({ 'retry-after': '60' })
  })

  it.each([
    [400, 400],
    [409, 409],
    [413, 413],
    [422, 422],
    [418, 400],
  ])('of the request has, for the upstream’s status %i, the status %i, and its code', (status, expected) => {
    const failure = createFailure('upstream_rejected', { upstream: { status, code: 'bad_tool' } })
    expect(writeError(failure)).toMatchObject({ status: expected, body: { error: { code: 'bad_tool' } } })
  })

  it('of the gateway never has the upstream’s status', () => {
    expect(writeError(createFailure('upstream_credential', { upstream: { status: 401 } })).status).toBe(502)
  })

  it('has the headers that belong to it', () => {
    const failure = createFailure('method_not_allowed', { headers: { allow: 'POST' } })
    expect(writeError(failure).headers).toEqual({ 'x-should-retry': 'false', allow: 'POST' })
  })

  it('can be written for every row of the error table', () => {
    for (const code of Object.keys(errorTable).filter(isErrorCode)) {
      const { status, body } = writeError(createFailure(code))
      expect([status, body['error']]).toEqual([
        errorTable[code].status,
        {
          message: expect.any(String),
          type: expect.stringMatching(/_error$|^insufficient_quota$/),
          param: null,
          code: expect.any(String),
        },
      ])
    }
  })
})
