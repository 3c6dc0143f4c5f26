import { describe, expect, it } from 'vitest'
import { writeEvent, writeException } from '../../../test/support/write-event-stream.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import { readError } from './errors/read-error.ts'
import { createEventStreamFrames } from './event-stream-frames.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { readUsage } from './values/read-usage.ts'

function errorOf(status: number, body: unknown, type?: string) {
  const headers = type === undefined ? {} : { 'x-amzn-errortype': type }
  return readError({ status, headers, body: Buffer.from(JSON.stringify(body)) })
}

describe('an error of Bedrock', () => {
  it.each([
    [
      403,
      'ExpiredTokenException:http://internal.amazon.com/coral/',
      'The security token is expired',
      'upstream_credential',
    ],
    [
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      'upstream_credential',
    ],
    [400, 'IncompleteSignatureException', 'No such key', 'upstream_credential'],
    [
      403,
      undefined,
      'You don’t have access to the model with the specified model ID.',
      'upstream_credential',
    ],
    [400, 'ValidationException', 'Operation not allowed', 'upstream_credential'],
    [429, 'ThrottlingException', 'Too many tokens, please wait.', 'upstream_rate_limited'],
    [400, 'ServiceQuotaExceededException', 'Your request exceeds the quota', 'upstream_rate_limited'],
    [429, 'ModelNotReadyException', 'Not ready', 'upstream_overloaded'],
    [503, 'ServiceUnavailableException', 'Later', 'upstream_overloaded'],
    [424, 'ModelErrorException', 'The system encountered an unexpected error', 'upstream_error'],
    [408, 'ModelTimeoutException', 'Too slow', 'upstream_timeout'],
    [404, 'ResourceNotFoundException', 'Could not find it', 'upstream_model_missing'],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'upstream_model_missing'],
    [
      400,
      'ValidationException',
      'Invocation of model ID x with on-demand throughput isn’t supported.',
      'upstream_model_missing',
    ],
    [400, 'ValidationException', 'Input is too long for requested model.', 'context_length_exceeded'],
    [
      400,
      'ValidationException',
      'prompt is too long: 210000 tokens > 200000 maximum',
      'context_length_exceeded',
    ],
    [400, 'ValidationException', 'A conversation must start with a user message.', 'upstream_rejected'],
    [500, 'InternalServerException', 'Oops', 'upstream_error'],
    [413, undefined, 'Request Entity Too Large', 'request_too_large'],
    [502, undefined, 'Bad gateway', 'upstream_error'],
  ])('%i %s "%s" is %s', (status, type, message, code) => {
    expect(errorOf(status, { message }, type).code).toBe(code)
  })

  it('is recognised by its name in the body as well, with its message in either spelling', () => {
    const named = { __type: 'com.amazon.coral.service#ThrottlingException', Message: 'Wait.' }
    expect(errorOf(400, named)).toMatchObject({
      code: 'upstream_rate_limited',
      upstream: { status: 400, message: 'Wait.' },
    })
  })

  it('shows its message to the caller for faults of the caller alone', () => {
    expect(errorOf(400, { message: 'A must be B.' }, 'ValidationException').message).toBe('A must be B.')
    expect(errorOf(403, { message: 'key AKIA is wrong' }, 'AccessDeniedException').message).not.toContain(
      'AKIA',
    )
  })

  it('is not quoted when it is not JSON', () => {
    const page = readError({ status: 502, headers: {}, body: Buffer.from('<html>') })
    expect([page.code, page.upstream?.message]).toEqual(['upstream_error', undefined])
  })
})

describe('usage of Converse', () => {
  it('counts cache writes by their lifetime, under either name', () => {
    const cacheDetails = [
      { inputTokens: 3, ttl: '1h' },
      { inputTokens: 4, ttl: '5m' },
    ]
    expect(
      readUsage({
        inputTokens: 1,
        outputTokens: 2,
        cacheWriteInputTokens: 7,
        cacheReadInputTokens: 5,
        cacheDetails,
      }),
    ).toMatchObject({
      freshInputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 5,
      cacheWriteShortTokens: 4,
      cacheWriteLongTokens: 3,
      isEstimated: false,
    })
    expect(readUsage({ inputTokens: 1, outputTokens: 2, cacheReadInputTokenCount: 6 })).toMatchObject({
      cacheReadTokens: 6,
    })
    expect(readUsage({ inputTokens: -1 })).toMatchObject({ freshInputTokens: 0, isEstimated: true })
  })
})

describe('a whole answer of Converse', () => {
  it('is a failure when it is an error under a success status, empty, or no answer at all', () => {
    expect(readReply({ __type: 'ThrottlingException', message: 'Wait.' })).toMatchObject({
      code: 'upstream_rate_limited',
    })
    expect(readReply({ output: { message: { content: [] } } })).toMatchObject({ code: 'upstream_empty' })
    expect(readReply([])).toMatchObject({ code: 'upstream_bad_response' })
  })

  it('is a failure when the provider could not parse the model’s output', () => {
    const content = [{ text: 'a' }]
    expect(readReply({ output: { message: { content } }, stopReason: 'malformed_tool_use' })).toMatchObject({
      code: 'upstream_bad_response',
    })
  })

  it('has its stop sequence, the tier and the guardrail’s trace', () => {
    const reply = readReply({
      output: { message: { content: [{ text: 'a' }] } },
      stopReason: 'stop_sequence',
      additionalModelResponseFields: { stop_sequence: '!' },
      serviceTier: { type: 'flex' },
      trace: { guardrail: {} },
    })
    expect(reply).toMatchObject({
      choices: [{ stopReason: 'stop-sequence', stopSequence: '!' }],
      serviceTier: 'flex',
      extras: { format: 'converse', fields: { trace: { guardrail: {} } } },
    })
  })
})

describe('a stream of Converse', () => {
  it('is complete after its stop, even without usage', () => {
    const reader = createStreamReader()
    const frames = createEventStreamFrames(1000).push(
      Buffer.concat([
        writeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'a' } }),
        writeEvent('messageStop', { stopReason: 'end_turn' }),
      ]),
    )
    const events = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end()]
    expect(events.map(({ type }) => type)).toEqual([
      'reply-start',
      'block-start',
      'text-delta',
      'block-end',
      'choice-end',
      'reply-end',
    ])
  })

  it('has no usage when it is cut before the counts', () => {
    const readCut = (...events: readonly Buffer[]) => {
      const reader = createStreamReader()
      const frames = createEventStreamFrames(1000).push(Buffer.concat(events))
      return foldReply([...frames.flatMap((frame) => reader.push(frame)), ...reader.end()])
    }
    const words = writeEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'abcd'.repeat(9) } })
    const stop = writeEvent('messageStop', { stopReason: 'end_turn' })
    expect(readCut(words, stop)).toMatchObject({ choices: [{ stopReason: 'end' }] })
    expect(readCut(words, stop)).not.toHaveProperty('usage')
    const counts = writeEvent('metadata', { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } })
    expect(readCut(words, counts, stop)).toMatchObject({ usage: { outputTokens: 2, isEstimated: false } })
    expect(readCut(words, stop, counts)).toMatchObject({ usage: { outputTokens: 2, isEstimated: false } })
    expect(readCut(words)).toMatchObject({ code: 'upstream_disconnected' })
  })

  it('ends at an exception, after the events before it', () => {
    const parser = createEventStreamFrames(1000)
    const frames = parser.push(
      Buffer.concat([
        writeEvent('messageStart', {}),
        writeException('throttlingException', 'Wait.'),
        writeEvent('messageStop', { stopReason: 'end_turn' }),
      ]),
    )
    expect(frames.map(({ event }) => event)).toEqual(['messageStart'])
    expect(parser.failure).toMatchObject({ code: 'upstream_rate_limited', upstream: { message: 'Wait.' } })
    expect(parser.push(writeEvent('messageStart', {}))).toEqual([])
  })
})
