import { describe, expect, it } from 'vitest'
import type { Failure } from '../../canonical/failure.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { readReply } from '../chat/reply/read-reply.ts'
import { readError } from './read-error.ts'

function answer(status: number, body: JsonValue | string, headers: Record<string, string> = {}): Failure {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return readError({ status, headers, body: Buffer.from(text) })
}

const withMessage = (message: string, more: Record<string, JsonValue> = {}) => ({
  error: { message, ...more },
})

describe('an error answer', () => {
  it.each([
    [400, withMessage('Unknown parameter: x', { param: 'x' }), 'upstream_rejected'],
    [409, withMessage('Conflict'), 'upstream_rejected'],
    [422, { detail: [{ loc: ['body', 'messages', 0], msg: 'Field required' }] }, 'upstream_rejected'],
    [400, withMessage('too long', { code: 'context_length_exceeded' }), 'context_length_exceeded'],
    [400, withMessage("This model's maximum context length is 8192 tokens."), 'context_length_exceeded'],
    [
      400,
      withMessage('The total length of all messages is too long.', { type: 'too_many_prompt_tokens' }),
      'context_length_exceeded',
    ],
    [400, withMessage('filtered', { code: 'content_filter' }), 'content_policy_violation'],
    [
      403,
      withMessage('Your chosen model requires moderation and your input was flagged'),
      'content_policy_violation',
    ],
    [400, withMessage('API key not valid. Please pass a valid API key.'), 'upstream_credential'],
    [401, withMessage('Unauthorized'), 'upstream_credential'],
    [403, withMessage('Country not supported'), 'upstream_credential'],
    [400, withMessage('Your credit balance is too low to access the API.'), 'upstream_quota'],
    [402, withMessage('Insufficient Balance'), 'upstream_quota'],
    [403, withMessage('Out of credits'), 'upstream_quota'],
    [429, withMessage('You exceeded your current quota', { code: 'insufficient_quota' }), 'upstream_quota'],
    [429, withMessage('Rate limit reached'), 'upstream_rate_limited'],
    [429, withMessage('busy', { type: 'engine_overloaded' }), 'upstream_overloaded'],
    [
      413,
      withMessage('Request too large for model, tokens per minute (TPM)', { code: 'rate_limit_exceeded' }),
      'upstream_rate_limited',
    ],
    [413, withMessage('Body too large'), 'request_too_large'],
    [404, withMessage('The model `x` does not exist'), 'upstream_model_missing'],
    [400, withMessage('Invalid model: x'), 'upstream_model_missing'],
    [404, '<html>not here</html>', 'upstream_model_missing'],
    [403, '<html>blocked</html>', 'upstream_error'],
    [405, '', 'upstream_error'],
    [407, '', 'upstream_error'],
    [421, '', 'upstream_error'],
    [
      424,
      { error: 'Request failed during generation: Server error', error_type: 'generation' },
      'upstream_error',
    ],
    [425, '', 'upstream_error'],
    [426, '', 'upstream_error'],
    [499, '', 'upstream_error'],
    [408, '', 'upstream_timeout'],
    [500, withMessage('oops'), 'upstream_error'],
    [500, withMessage('The server is currently overloaded'), 'upstream_overloaded'],
    [502, '<html>bad gateway</html>', 'upstream_error'],
    [503, '', 'upstream_overloaded'],
    [504, '', 'upstream_timeout'],
    [520, '', 'upstream_error'],
    [524, '', 'upstream_timeout'],
    [529, '', 'upstream_overloaded'],
    [302, '', 'upstream_bad_response'],
    [204, '', 'upstream_bad_response'],
  ])('of status %i with %j is %s', (status, body, code) => {
    expect(answer(status, body).code).toBe(code)
  })

  it('retains the upstream’s message and bytes when the caller is at fault', () => {
    const body = withMessage('Bad value', {
      param: 'messages[1]',
      type: 'invalid_request_error',
      code: 'bad',
    })
    const failure = answer(422, body)
    expect(failure).toEqual({
      type: 'failure',
      code: 'upstream_rejected',
      message: 'Bad value',
      param: 'messages[1]',
      upstream: {
        status: 422,
        type: 'invalid_request_error',
        code: 'bad',
        message: 'Bad value',
        param: 'messages[1]',
        body: Buffer.from(JSON.stringify(body)),
      },
    })
  })

  it.each(['Bad request', '"Bad request"', 'null', '{"error":', ''])(
    'retains the message but not the bytes of a body that is not a JSON object: %s',
    (text) => {
      expect(answer(400, text).upstream).not.toHaveProperty('body')
    },
  )

  it('hides both from the caller when the gateway is at fault', () => {
    const failure = answer(401, withMessage('Incorrect API key provided: sk-1'))
    expect(failure.message).not.toContain('sk-1')
    expect(failure.upstream).toEqual({ status: 401, message: 'Incorrect API key provided: sk-1' })
  })

  it('names the field if the server gives it as a path', () => {
    expect(answer(422, { detail: [{ loc: ['body', 'messages', 0], msg: 'Field required' }] })).toMatchObject({
      message: 'Field required',
      param: 'messages.0',
    })
  })

  it('cuts a long message to 2 KB', () => {
    expect(answer(400, withMessage('x'.repeat(9000))).message).toHaveLength(2048)
  })

  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0.2' }, 1],
    [{ 'retry-after': '3600' }, 3_600],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:00 GMT' }, undefined],
    [{}, undefined],
  ])('with %j has a wait of %j seconds', (headers: Record<string, string>, seconds) => {
    expect(answer(429, '{}', headers).retryAfterSeconds).toBe(seconds)
  })
})

describe('an error under a success status', () => {
  it.each([
    [{ error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } }, 'upstream_rate_limited'],
    [{ error: { message: 'Provider returned error', code: 502 } }, 'upstream_error'],
    [{ error: 'overloaded' }, 'upstream_overloaded'],
    [{ object: 'error', message: 'maximum context length is 10', code: 400 }, 'context_length_exceeded'],
    [{ code: '1113', message: 'Insufficient balance' }, 'upstream_quota'],
    [{ detail: 'Unauthorized' }, 'upstream_credential'],
    [
      { base_resp: { status_code: 1004, status_msg: 'login fail: api key invalid' }, choices: null },
      'upstream_credential',
    ],
    [{ id: 'x' }, 'upstream_bad_response'],
    [{ choices: [] }, 'upstream_empty'],
    [{ choices: [{ index: 0, message: { role: 'assistant', content: '' } }] }, 'upstream_empty'],
    ['text', 'upstream_bad_response'],
    [null, 'upstream_bad_response'],
  ])('in %j is %s', (body: JsonValue, code) => {
    expect(readReply(body)).toMatchObject({ code })
  })

  it('is not found in an answer without one', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }]
    expect(readReply({ id: 'i', model: 'm', choices, error: null, code: 0, message: '' })).toMatchObject({
      id: 'i',
    })
  })
})
