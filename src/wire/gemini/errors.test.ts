import { describe, expect, it } from 'vitest'
import { createFailure } from '../../canonical/failure.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { readError, readErrorInAnswer } from './errors/read-error.ts'
import { writeError, writeErrorEvent } from './errors/write-error.ts'

const kinds = 'type.googleapis.com/google.rpc.'

function read(status: number, value: JsonValue, headers: Readonly<Record<string, string>> = {}) {
  return readError({ status, headers, body: Buffer.from(JSON.stringify(value)) })
}

function errorOf(code: number, status: string, message: string, ...details: JsonValue[]): JsonValue {
  return { error: { code, status, message, details } }
}

const invalidKey = errorOf(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', {
  '@type': `${kinds}ErrorInfo`,
  reason: 'API_KEY_INVALID',
})

const quota = (quotaId: string, ...more: JsonValue[]) =>
  errorOf(
    429,
    'RESOURCE_EXHAUSTED',
    'You exceeded your current quota, please check your plan and billing details.',
    { '@type': `${kinds}QuotaFailure`, violations: [{ quotaId }] },
    ...more,
  )
const wait = { '@type': `${kinds}RetryInfo`, retryDelay: '34.4s' }

describe('an error answer of Google', () => {
  it.each<[string, number, JsonValue, string]>([
    ['a key that is not valid is ours, whatever its status', 400, invalidKey, 'upstream_credential'],
    [
      'a key that ran out',
      400,
      errorOf(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
      'upstream_credential',
    ],
    ['no key', 403, errorOf(403, 'PERMISSION_DENIED', 'Method doesn’t allow it.'), 'upstream_credential'],
    ['no login', 401, errorOf(401, 'UNAUTHENTICATED', 'Expected OAuth 2.'), 'upstream_credential'],
    [
      'a place that is not served',
      400,
      errorOf(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
      'upstream_credential',
    ],
    [
      'an account that must pay first',
      400,
      errorOf(400, 'FAILED_PRECONDITION', 'The free tier is not available here. Enable billing.'),
      'upstream_quota',
    ],
    ['a limit of the minute', 429, quota('GenerateRequestsPerMinutePerProject'), 'upstream_rate_limited'],
    ['a limit of the day', 429, quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), 'upstream_quota'],
    [
      'a model outside the plan',
      429,
      errorOf(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for metric: free_tier_requests, limit: 0, model: m'),
      'upstream_quota',
    ],
    [
      'no more room',
      429,
      errorOf(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
      'upstream_rate_limited',
    ],
    ['no such model', 404, errorOf(404, 'NOT_FOUND', 'models/m is not found.'), 'upstream_model_missing'],
    [
      'a prompt that is too long',
      400,
      errorOf(
        400,
        'INVALID_ARGUMENT',
        'The input token count (9) exceeds the maximum number of tokens allowed (8).',
      ),
      'context_length_exceeded',
    ],
    [
      'a wrong request',
      400,
      errorOf(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unknown name "x": Cannot find field.'),
      'upstream_rejected',
    ],
    ['an overload', 503, errorOf(503, 'UNAVAILABLE', 'The model is overloaded.'), 'upstream_overloaded'],
    ['a timeout', 504, errorOf(504, 'DEADLINE_EXCEEDED', 'Deadline expired.'), 'upstream_timeout'],
    ['a failure', 500, errorOf(500, 'INTERNAL', 'An internal error has occurred.'), 'upstream_error'],
    ['words of another server', 429, { message: 'Too many requests' }, 'upstream_rate_limited'],
  ])('is classified correctly: %s', (_name, status, body, code) => {
    expect(read(status, body).code).toBe(code)
    // The error is in a list where a stream without events was requested.
    expect(read(status, [body]).code).toBe(code)
  })

  it('names the wait', () => {
    expect(read(429, quota('PerMinute', wait))).toMatchObject({ retryAfterSeconds: 35 })
    expect(read(429, quota('PerMinute'), { 'retry-after': '7' })).toMatchObject({ retryAfterSeconds: 7 })
  })

  it('passes unchanged to callers of the format, even from a list, when the request is at fault', () => {
    const body = errorOf(400, 'INVALID_ARGUMENT', 'Unknown name "x".', {
      '@type': `${kinds}BadRequest`,
      fieldViolations: [{ field: 'generation_config.x' }],
    })
    for (const value of [body, [body]]) {
      const failure = read(400, value)
      expect(failure).toMatchObject({
        message: 'Unknown name "x".',
        param: 'generation_config.x',
        upstream: { status: 400, type: 'INVALID_ARGUMENT' },
      })
      expect(JSON.parse(Buffer.from(failure.upstream?.body ?? []).toString())).toEqual(body)
    }
    expect(read(400, invalidKey).upstream?.body).toBeUndefined()
  })

  it('is found under a success status, too, but not in an answer without an error', () => {
    expect(
      readErrorInAnswer({ error: { code: 503, status: 'UNAVAILABLE', message: 'Busy.' } }),
    ).toMatchObject({
      code: 'upstream_overloaded',
    })
    expect(readErrorInAnswer({ detail: 'Not today.', code: 'x' })?.code).toBe('upstream_error')
    expect(readErrorInAnswer({ candidates: [], message: 'x', code: 1 })).toBeUndefined()
    expect(readErrorInAnswer({ usageMetadata: {} })).toBeUndefined()
  })
})

describe('an error for a caller of the Gemini format', () => {
  it('names no wait over a minute, in its headers and in its message', () => {
    const failure = createFailure('upstream_rate_limited', { retryAfterSeconds: 900 })
    expect(writeError(failure)).toMatchObject({
      headers: { 'retry-after': '60' },
      body: { error: { details: [{}, { retryDelay: '60s' }] } },
    })
  })

  it('has Google’s wording, with advice for the caller', () => {
    const failure = createFailure('upstream_rate_limited', { retryAfterSeconds: 9 })
    expect(writeError(failure)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '9' },
      body: {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          details: [{ reason: 'RATE_LIMIT_EXCEEDED' }, { '@type': `${kinds}RetryInfo`, retryDelay: '9s' }],
        },
      },
    })
    const refused = createFailure('invalid_field', { param: 'contents[0].role', message: 'Wrong.' })
    expect(writeError(refused).body).toMatchObject({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'Wrong.',
        details: [{ reason: 'INVALID_FIELD' }, { fieldViolations: [{ field: 'contents[0].role' }] }],
      },
    })
  })

  it('ends a stream with an event on which clients throw', () => {
    const event = writeErrorEvent(createFailure('upstream_disconnected'))
    expect(event).toMatch(/^data: \{"error":\{"code":502,.*\}\n\n$/)
    expect(JSON.parse(event.slice('data: '.length)).error.status).toBe('INTERNAL')
  })
})
