import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, errorTable, isErrorCode } from '../../canonical/error-table.ts'
import { createFailure } from '../../canonical/failure.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { messagesFormat } from './format.ts'

function read(status: number, body: JsonValue | string, headers: Readonly<Record<string, string>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return messagesFormat.readError({ status, headers, body: Buffer.from(text) })
}

function errorOf(type: string, message: string): JsonValue {
  return { type: 'error', error: { type, message }, request_id: 'req_1' }
}

describe('readError', () => {
  it.each(['Bad request', '"Bad request"', 'null', '{"error":', ''])(
    'does not pass on the bytes of a body that is not a JSON object: %s',
    (text) => {
      expect(read(400, text).upstream).not.toHaveProperty('body')
    },
  )

  const rows: readonly (readonly [number, JsonValue | string, ErrorCode])[] = [
    [400, errorOf('invalid_request_error', 'max_tokens: Field required'), 'upstream_rejected'],
    [422, { detail: 'no' }, 'upstream_rejected'],
    [409, errorOf('conflict', 'no'), 'upstream_rejected'],
    [
      400,
      errorOf('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      'context_length_exceeded',
    ],
    [
      400,
      errorOf('invalid_request_error', 'input length and `max_tokens` exceed context limit'),
      'context_length_exceeded',
    ],
    [
      400,
      errorOf('invalid_request_error', 'Output blocked by content filtering policy'),
      'content_policy_violation',
    ],
    [
      400,
      errorOf('invalid_request_error', 'Your credit balance is too low to access the API.'),
      'upstream_quota',
    ],
    [402, errorOf('billing_error', 'no'), 'upstream_quota'],
    [429, { error: { code: 'insufficient_quota', message: 'x' } }, 'upstream_quota'],
    [401, errorOf('authentication_error', 'invalid x-api-key'), 'upstream_credential'],
    [403, errorOf('permission_error', 'no'), 'upstream_credential'],
    [400, errorOf('authentication_error', 'no'), 'upstream_credential'],
    [404, errorOf('not_found_error', 'model: m'), 'upstream_model_missing'],
    [404, '<html>', 'upstream_model_missing'],
    [405, '', 'upstream_error'],
    [413, errorOf('request_too_large', 'no'), 'request_too_large'],
    [429, errorOf('rate_limit_error', 'no'), 'upstream_rate_limited'],
    [500, errorOf('api_error', 'no'), 'upstream_error'],
    [502, '<html>Bad gateway</html>', 'upstream_error'],
    [503, 'x', 'upstream_overloaded'],
    [529, errorOf('overloaded_error', 'no'), 'upstream_overloaded'],
    [500, errorOf('overloaded_error', 'no'), 'upstream_overloaded'],
    [504, errorOf('timeout_error', 'no'), 'upstream_timeout'],
    [408, '', 'upstream_timeout'],
    [301, '', 'upstream_bad_response'],
  ]
  for (const [status, body, code] of rows) {
    it(`reads ${status} ${JSON.stringify(body).slice(0, 90)} as ${code}`, () => {
      expect(read(status, body).code).toBe(code)
    })
  }

  it('retains the upstream’s message and bytes for faults of the caller alone', () => {
    const body = errorOf('invalid_request_error', 'max_tokens: Field required')
    const rejected = read(400, body)
    expect(rejected.message).toBe('max_tokens: Field required')
    expect(rejected.upstream?.status).toBe(400)
    expect(Buffer.from(rejected.upstream?.body ?? []).toString()).toBe(JSON.stringify(body))
    const ours = read(401, errorOf('authentication_error', 'invalid x-api-key sk-secret'))
    expect(ours.message).toBe(errorTable.upstream_credential.message)
    expect(ours.upstream).not.toHaveProperty('body')
  })

  it('cuts long messages', () => {
    expect(read(400, errorOf('invalid_request_error', 'x'.repeat(9000))).message).toHaveLength(2048)
  })

  const waits: readonly (readonly [Readonly<Record<string, string>>, number | undefined])[] = [
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0.2' }, 1],
    [{ 'retry-after': '900' }, 900],
    [{ 'retry-after-ms': '1500', 'retry-after': '30' }, 2],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:05 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }, 5],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ]
  for (const [headers, seconds] of waits) {
    it(`reads the wait of ${JSON.stringify(headers)} as ${seconds}`, () => {
      expect(read(429, errorOf('rate_limit_error', 'no'), headers).retryAfterSeconds).toBe(seconds)
    })
  }

  it('preserves the details with which the official SDK recovers from a missing thread', () => {
    const details = { error_code: 'thread_not_found' }
    const failure = read(404, { type: 'error', error: { type: 'not_found_error', message: 'gone', details } })
    expect(messagesFormat.writeError(failure, 'r1')).toMatchObject({
      status: 404,
      body: { error: { type: 'not_found_error', message: 'gone', details } },
    })
  })
})

describe('writeError', () => {
  it('renders a failure in full', () => {
    const failure = createFailure('invalid_field', { param: 'messages.0', message: 'No.' })
    expect(messagesFormat.writeError(failure, 'r1')).toEqual({
      status: 400,
      headers: { 'x-should-retry': 'false' },
      body: {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'No.', param: 'messages.0', code: 'invalid_field' },
        request_id: 'r1',
      },
    })
  })

  it('writes an overload with a status of its own, and a wait', () => {
    const failure = createFailure('upstream_overloaded', { retryAfterSeconds: 900 })
    expect(messagesFormat.writeError(failure, 'r1')).toMatchObject({
      status: 529,
      headers: { 'retry-after': '60' },
      body: { error: { type: 'overloaded_error', param: null } },
    })
    const plain = messagesFormat.writeError(createFailure('upstream_rate_limited'), 'r1')
    expect(plain.headers).toEqual({ 'retry-after': '1' })
  })

  it('retains the upstream’s status for faults of the caller, and never for ours', () => {
    const status = (code: ErrorCode, upstream: number) =>
      messagesFormat.writeError(createFailure(code, { upstream: { status: upstream } }), 'r1').status
    expect(status('upstream_rejected', 422)).toBe(422)
    expect(status('upstream_rejected', 409)).toBe(409)
    expect(status('upstream_rejected', 200)).toBe(400)
    expect(status('upstream_credential', 401)).toBe(502)
    expect(status('upstream_model_missing', 404)).toBe(502)
    expect(status('upstream_quota', 402)).toBe(503)
  })

  it('renders every row of the table with a type and a request id that the official SDK reads', async () => {
    for (const code of Object.keys(errorTable).filter(isErrorCode)) {
      const row = errorTable[code]
      const failure = createFailure(code)
      const { status, headers, body } = messagesFormat.writeError(failure, 'r1')
      const error = await errorOfOfficialClient(
        status,
        { ...headers, 'request-id': 'r1' },
        JSON.stringify(body),
      )
      expect(error.status, code).toBe(status)
      expect(error.requestID, code).toBe('r1')
      expect(error.error, code).toMatchObject({ error: { code, message: row.message } })
      expect(error.type, code).toMatch(/^[a-z_]+$/)
      expect(status, code).toBe(row.type === 'overloaded' ? 529 : row.status)
    }
  })

  it('renders the frame that ends a stream', () => {
    expect(messagesFormat.writeErrorEvent(createFailure('upstream_timeout', { message: 'a\nb' }), 'r1')).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"timeout_error","message":"a\\nb","param":null,"code":"upstream_timeout"},"request_id":"r1"}\n\n',
    )
  })
})

async function errorOfOfficialClient(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
) {
  const client = new Anthropic({
    apiKey: 'unused',
    baseURL: 'http://unused.invalid',
    maxRetries: 0,
    fetch: async () =>
      new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } }),
  })
  try {
    await client.messages.create({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
  } catch (error) {
    if (error instanceof Anthropic.APIError) return error
    throw error
  }
  throw new Error('the client saw no error')
}

describe('readReply', () => {
  const failures: readonly (readonly [string, JsonValue, ErrorCode])[] = [
    ['an error under a good status', errorOf('overloaded_error', 'no'), 'upstream_overloaded'],
    ['an error without a type', { error: { message: 'no' } }, 'upstream_error'],
    ['an error in words', { error: 'no' }, 'upstream_error'],
    ['no object', [1], 'upstream_bad_response'],
    ['no content', { id: 'a' }, 'upstream_bad_response'],
    ['nothing said, and no end', { content: [] }, 'upstream_empty'],
    ['a block of no kind', { content: [{ text: 'x' }] }, 'upstream_bad_response'],
    [
      'a call without input',
      { content: [{ type: 'tool_use', id: 'a', name: 'b' }] },
      'upstream_bad_response',
    ],
  ]
  for (const [name, body, code] of failures) {
    it(`fails on ${name}`, () => {
      expect(messagesFormat.readReply(body)).toMatchObject({ code })
    })
  }

  it('accepts an answer that ends without content', () => {
    const reply = messagesFormat.readReply({ id: 'a', model: 'm', content: [], stop_reason: 'end_turn' })
    expect(reply).toEqual({ id: 'a', model: 'm', choices: [{ content: [], stopReason: 'end' }] })
  })
})

it('a page under 403 is a fault before the API', () => {
  expect(read(403, '<html><h1>Forbidden</h1></html>').code).toBe('upstream_error')
})

it.each<[string, JsonValue]>([
  ['a text', { error: 'The service is overloaded.' }],
  ['an object that says it is one', { object: 'error', message: 'The service is overloaded.', code: 529 }],
  ['a code and a message', { code: 'overloaded', message: 'The service is overloaded.' }],
  ['a base_resp', { base_resp: { status_code: 1529, status_msg: 'The service is overloaded.' } }],
])('an error under a success status is classified by its message: %s', (_name, body) => {
  expect(messagesFormat.watchReply(body).failure?.code).toBe('upstream_overloaded')
})
