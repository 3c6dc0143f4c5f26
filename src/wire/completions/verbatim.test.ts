import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import type { FrameInspection } from '../watched-reply.ts'
import { completionsFormat } from './format.ts'

const { scanRequest, spliceRequest, createStreamWatcher, watchReply } = completionsFormat

function scan(text: string) {
  return scanRequest(BodyBytes.from([Buffer.from(text)]))
}

function splice(body: string, askForUsage: boolean): string {
  return Buffer.concat(spliceRequest(scan(body), { model: 'up', askForUsage })).toString()
}

describe('a body in the verbatim lane', () => {
  it.each([
    '{"model":"up"}',
    '{"model":"up","prompt":null}',
    '{ "model": "up", "prompt": [[1, 2], [3]], "best_of":4, "n" :2,"echo":true , "suffix":"\\u00e9", "logprobs": 5 }',
  ])('%s passes unchanged', (body) => {
    expect(splice(body, false)).toBe(body)
  })

  it('may hold the tokens of a long prompt, and its refusal names the largest number of JSON values', () => {
    const bodyOf = (tokens: number) => `{"model":"m","prompt":[${Array(tokens).fill(7).join(',')}]}`
    expect(scan(bodyOf(399_000)).model).toBe('m')
    expect(() => scan(bodyOf(400_001))).toThrow('more than 400000 JSON values')
  })

  it('changes only in the name of the model and the request for usage', () => {
    expect(splice('{"model":"m","prompt":"x","stream":true}', true)).toBe(
      '{"stream_options":{"include_usage":true},"model":"up","prompt":"x","stream":true}',
    )
  })

  it.each([
    ['{"prompt":"x"}', 'missing_field', 'model'],
    ['{"model":"m","Prompt":"x"}', 'invalid_field', 'Prompt'],
    ['{"model":"m","prompt":"x","BEST_OF":9}', 'invalid_field', 'BEST_OF'],
    ['{"model":"m","prompt":"x","prompt":"y"}', 'duplicate_field', 'prompt'],
    ['{"model":"m","stream_options":7}', 'invalid_field', 'stream_options'],
  ])('%s is refused with %s at %s', (body, code, param) => {
    expect(() => scan(body)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code, param }) }),
    )
    expect(() => scan(body)).toThrow(GatewayError)
  })
})

function frame(choice: object | undefined, more: object = {}): string {
  const choices = choice === undefined ? [] : [{ index: 0, text: '', finish_reason: null, ...choice }]
  return `data: ${JSON.stringify({ id: 'i', model: 'm', choices, ...more })}\n\n`
}

function watch(text: string) {
  const watcher = createStreamWatcher()
  const frames = createSseParser().push(Buffer.from(text))
  return { watcher, inspections: frames.map((each) => watcher.inspect(each)) }
}

const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }

describe('a frame in the verbatim lane', () => {
  it.each<[string, string, Partial<FrameInspection>]>([
    ['with words', frame({ text: 'x' }), { hasContent: true }],
    ['with a reason', frame({ finish_reason: 'stop' }), { hasContent: true }],
    ['with nothing', frame({}), {}],
    ['with usage', frame(undefined, { usage }), { isUsageOnly: true }],
    ['with usage beside words', frame({ text: 'x' }, { usage }), { hasContent: true }],
  ])('%s is classified correctly', (_name, text, expected) => {
    expect(watch(text).inspections).toEqual([{ hasContent: false, isUsageOnly: false, ...expected }])
  })

  it.each([
    ['data: {"error":{"message":"x","code":"insufficient_quota"}}\n\n', 'upstream_quota'],
    ['data: {"choices":\n\n', 'upstream_bad_response'],
  ])('%j is a failure', (text, code) => {
    expect(watch(text).inspections[0]?.failure?.code).toBe(code)
  })

  it('gives the usage, and the end of the stream', () => {
    const text = frame({ text: 'x' }) + frame({ finish_reason: 'stop' }) + frame(undefined, { usage })
    const { hasStopReason: finished, isTerminated: terminated, usage: counted } = watch(text).watcher
    expect([counted?.outputTokens, finished, terminated]).toEqual([1, true, false])
    expect(watch(`${text}data: [DONE]\n\n`).watcher.isTerminated).toBe(true)
  })
})

describe('a whole answer in the verbatim lane', () => {
  it('gives its usage', () => {
    const body = { model: 'm', choices: [{ text: 'x', index: 0 }], usage }
    expect(watchReply(body)).toEqual({ usage: expect.objectContaining({ outputTokens: 1 }) })
  })

  it.each<[JsonValue, string | undefined]>([
    [{ choices: [{ text: '', finish_reason: 'length' }] }, undefined],
    [{ choices: [{ text: '', finish_reason: null }] }, 'upstream_empty'],
    [{ choices: [] }, 'upstream_empty'],
    [{ error: { message: 'x' } }, 'upstream_error'],
    [{ choices: [{ text: 'x', finish_reason: 'abort' }] }, 'upstream_error'],
    [{}, 'upstream_bad_response'],
    ['x', 'upstream_bad_response'],
  ])('%j has the fault %s', (body, code) => {
    expect(watchReply(body).failure?.code).toBe(code)
  })
})
