import { describe, expect, it } from 'vitest'
import { chunk, delta, done, finish } from '../../../test/support/chat-chunks.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { asksForUsage, spliceRequest } from '../openai/verbatim/splice-request.ts'
import type { FrameInspection } from '../watched-reply.ts'
import { answerFormOf, scanRequest } from './verbatim/scan-request.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

const messages = '"messages":[{"role":"user","content":"Hi"}]'

function bytesOf(text: string): BodyBytes {
  return BodyBytes.from([Buffer.from(text)])
}

function splice(body: string, askForUsage: boolean): string {
  return Buffer.concat(spliceRequest(scanRequest(bytesOf(body)), { model: 'up', askForUsage })).toString()
}

function refusal(body: string): readonly (string | undefined)[] {
  try {
    scanRequest(bytesOf(body))
  } catch (error) {
    if (error instanceof GatewayError) return [error.failure.code, error.failure.param]
  }
  return ['taken']
}

describe('a body in the verbatim lane', () => {
  it.each([
    [`{${messages}}`, 'missing_field', 'model'],
    ['{"model":"m"}', 'missing_field', 'messages'],
    ['{"model":"m","messages":[ ]}', 'invalid_field', 'messages'],
    ['{"model":"m","messages":"x"}', 'invalid_field', 'messages'],
    [`{"model":"m",${messages},"stream_options":7}`, 'invalid_field', 'stream_options'],
    [`{"model":"m",${messages},"N":99}`, 'invalid_field', 'N'],
    [`{"model":"m",${messages},"Model":"x"}`, 'duplicate_field', 'Model'],
  ])('%s is refused with %s at %s', (body, code, param) => {
    expect(refusal(body)).toEqual([code, param])
  })

  it('changes only in the name of the model', () => {
    expect(splice(`{ "x":1, "model" : "m",${messages}, "y": 2 }`, true)).toBe(
      `{ "x":1, "model" : "up",${messages}, "y": 2 }`,
    )
    expect(splice(`{"model":"up",${messages}}`, true)).toBe(`{"model":"up",${messages}}`)
  })

  it('requests usage in a stream, once, and retains other options', () => {
    const body = (options: string) => `{"model":"up",${messages},"stream":true${options}}`
    expect(splice(body(''), true)).toBe(`{"stream_options":{"include_usage":true},${body('').slice(1)}`)
    expect(splice(body(',"stream_options":null'), true)).toBe(
      body(',"stream_options":{"include_usage":true}'),
    )
    expect(splice(body(',"stream_options":{"include_usage":false,"x":1}'), true)).toBe(
      body(',"stream_options":{"include_usage":true,"x":1}'),
    )
    expect(splice(body(',"stream_options": {"include_usage": true}'), true)).toBe(
      body(',"stream_options": {"include_usage": true}'),
    )
    expect(splice(body(''), false)).toBe(body(''))
  })

  it('reports whether the caller requested usage', () => {
    const asks = (more: string) => asksForUsage(scanRequest(bytesOf(`{"model":"m",${messages}${more}}`)))
    expect(asks(',"stream":true,"stream_options":{"include_usage":true}')).toBe(true)
    expect(asks(',"stream":true,"stream_options":{}')).toBe(false)
    expect(asks(',"stream":true')).toBe(false)
  })

  it.each([
    ['', false],
    [',"functions":[{"name":"f"}]', true],
    [',"functions":[{"name":"f"}],"tools":null', true],
    [',"functions":[{"name":"f"}],"tools":[{"type":"custom"}]', false],
    [',"functions":[]', false],
    [',"functions":null,"tools":[]', false],
  ])('reports whether the caller knows only function_call%s: %s', (more, legacyCalls) => {
    expect(answerFormOf(scanRequest(bytesOf(`{"model":"m",${messages}${more}}`)))).toEqual({ legacyCalls })
  })
})

function watch(text: string) {
  const watcher = createStreamWatcher()
  const inspections = createSseParser()
    .push(Buffer.from(text))
    .map((frame) => watcher.inspect(frame))
  return { watcher, inspections }
}

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }

describe('a frame in the verbatim lane', () => {
  it.each<[string, string, Partial<FrameInspection>]>([
    ['with words', delta({ content: 'x' }), { hasContent: true }],
    ['with parts', delta({ content: [{ type: 'text', text: 'x' }] }), { hasContent: true }],
    ['with reasoning', delta({ reasoning: 'x' }), { hasContent: true }],
    ['with a call', delta({ tool_calls: [{ index: 0 }] }), { hasContent: true }],
    ['with a reason', finish('stop'), { hasContent: true }],
    ['with a reason that is a number', finish(7), { hasContent: true }],
    ['with the role', delta({ role: 'assistant', content: '', refusal: null }), { hasContent: false }],
    ['with nothing', chunk({}), { hasContent: false }],
    ['with usage', chunk(undefined, { usage }), { isUsageOnly: true }],
    [
      'with usage beside words',
      chunk({ delta: { content: 'x' } }, { usage }),
      { hasContent: true, isUsageOnly: false },
    ],
    ['with usage and moderation', chunk(undefined, { usage, moderation: {} }), { isUsageOnly: false }],
    ['with filter results', chunk(undefined, { prompt_filter_results: [] }), { isUsageOnly: false }],
    ['that is a comment', ': hi\n\n', { hasContent: false, isUsageOnly: false }],
  ])('%s is classified correctly', (_name, frame, expected) => {
    expect(watch(frame).inspections[0]).toEqual({ hasContent: false, isUsageOnly: false, ...expected })
  })

  it.each([
    ['data: {"error":{"message":"x","code":"insufficient_quota"}}\n\n', 'upstream_quota'],
    ['event: error\ndata: oops\n\n', 'upstream_error'],
    ['error: {"detail":"x"}\n\n', 'upstream_error'],
    ['data: {"detail":"Unauthorized"}\n\n', 'upstream_credential'],
    ['data: {"choices":\n\n', 'upstream_bad_response'],
    ['data: 7\n\n', 'upstream_bad_response'],
  ])('%j is a failure', (frame, code) => {
    expect(watch(frame).inspections[0]?.failure?.code).toBe(code)
  })

  it('gives the usage, and the end of the stream', () => {
    const text = delta({ content: 'x' }) + finish('stop') + chunk(undefined, { usage })
    const open = watch(text).watcher
    expect([open.usage?.freshInputTokens, open.hasStopReason, open.isTerminated]).toEqual([3, true, false])
    expect(watch(text + done).watcher.isTerminated).toBe(true)
    expect(watch(delta({ content: 'x' })).watcher).toMatchObject({ hasStopReason: false, usage: undefined })
  })
})

describe('a whole answer in the verbatim lane', () => {
  const answer = (message: JsonObject, more: JsonObject = {}) => ({
    model: 'm',
    choices: [{ message, ...more }],
    usage,
  })

  it('gives its usage', () => {
    expect(watchReply(answer({ content: 'x' }))).toEqual({
      usage: expect.objectContaining({ outputTokens: 1 }),
    })
  })

  it.each([
    [answer({ role: 'assistant', content: '' }), 'upstream_empty'],
    [{ choices: [] }, 'upstream_empty'],
    [{ error: { message: 'x' } }, 'upstream_error'],
    [{}, 'upstream_bad_response'],
    ['x', 'upstream_bad_response'],
  ])('%j is a failure', (body, code) => {
    expect(watchReply(body).failure?.code).toBe(code)
  })

  it('may be empty if it has a finish reason', () => {
    expect(watchReply(answer({ content: '' }, { finish_reason: 'stop' })).failure).toBeUndefined()
  })
})
