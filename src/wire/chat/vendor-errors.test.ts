import { describe, expect, it } from 'vitest'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { readError } from '../errors/read-error.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

const begun = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hal"},"finish_reason":null}]}\n\n'
const framesOf = (text: string) => createSseParser().push(Buffer.from(text))

describe('errors', () => {
  it.each<[string, number, JsonObject | string, string]>([
    [
      'the words of the provider behind (OpenRouter)',
      429,
      {
        error: {
          message: 'Provider returned error',
          code: 429,
          metadata: { raw: 'temporarily rate-limited upstream', provider_name: 'Google' },
        },
        user_id: 'u',
      },
      'upstream_rate_limited',
    ],
    [
      'no credit (OpenRouter, DeepSeek)',
      402,
      { error: { message: 'Insufficient credits', code: 402 } },
      'upstream_quota',
    ],
    [
      'a list of fields at fault (Mistral)',
      422,
      {
        object: 'error',
        message: {
          detail: [{ type: 'extra_forbidden', loc: ['body', 'user'], msg: 'Extra inputs are not permitted' }],
        },
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
      'upstream_rejected',
    ],
    [
      'at the top (Mistral, Cerebras)',
      400,
      {
        message: 'property is unsupported',
        type: 'invalid_request_error',
        param: 'validation_error',
        code: 'wrong_api_format',
      },
      'upstream_rejected',
    ],
    [
      'two texts (xAI)',
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Argument not supported on this model: presencePenalty',
      },
      'upstream_rejected',
    ],
    [
      'a flex tier that is full (Groq)',
      498,
      { error: { message: 'capacity exceeded', type: 'capacity_exceeded' } },
      'upstream_overloaded',
    ],
    [
      'a call that the model botched (Groq)',
      400,
      {
        error: {
          message: 'Tool call validation failed',
          type: 'invalid_request_error',
          code: 'tool_use_failed',
          failed_generation: '{',
        },
      },
      'upstream_rejected',
    ],
    [
      'a filter, with what it found (Azure)',
      400,
      {
        error: {
          message:
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: {} },
        },
      },
      'content_policy_violation',
    ],
    [
      'a deployment that is not there (Azure)',
      404,
      {
        error: {
          type: 'invalid_request_error',
          code: 'DeploymentNotFound',
          message: 'The API deployment for this resource does not exist.',
        },
      },
      'upstream_model_missing',
    ],
    [
      'numbers for codes (Z.ai)',
      429,
      { error: { code: '1113', message: 'Insufficient balance or no resource package. Please recharge.' } },
      'upstream_quota',
    ],
    [
      'too long (Perplexity)',
      400,
      {
        error: {
          message: 'The total length of all messages is too long.',
          type: 'too_many_prompt_tokens',
          code: 400,
        },
      },
      'context_length_exceeded',
    ],
    [
      'arrears (Qwen)',
      400,
      {
        error: {
          code: 'Arrearage',
          type: 'Arrearage',
          message: 'Access denied, please make sure your account is in good standing.',
        },
      },
      'upstream_quota',
    ],
    [
      'a text alone (Hugging Face)',
      400,
      { error: 'The requested model is not supported by any provider you have enabled' },
      'upstream_rejected',
    ],
  ])('are classified: %s', (_shape, status, body, code) => {
    expect(readError({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) }).code).toBe(code)
  })

  it('under a success status are found in base_resp (MiniMax)', () => {
    const body = { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }
    expect(readReply(body)).toMatchObject({ code: 'upstream_quota' })
    expect(watchReply(body)).toMatchObject({ failure: { code: 'upstream_quota' } })
  })

  it.each<[string, string, string]>([
    [
      'as an event (Groq)',
      'event: error\ndata: {"error":{"message":"Tool choice is required","code":"tool_use_failed","status_code":400}}\n\n',
      'upstream_rejected',
    ],
    [
      'as a chunk (OpenRouter)',
      'data: {"id":"c","error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n',
      'upstream_error',
    ],
    [
      'as a field of its own (llama.cpp)',
      'error: {"code":500,"message":"out of memory","type":"server_error"}\n\n',
      'upstream_error',
    ],
  ])('in a stream are classified: %s', (_shape, frame, code) => {
    const frames = framesOf(begun + frame)
    const reader = createStreamReader()
    expect(foldReply([...frames.flatMap((each) => reader.push(each)), ...reader.end()])).toMatchObject({
      code,
    })
    const watcher = createStreamWatcher()
    const seen = frames.map((each) => watcher.inspect(each).failure?.code)
    expect(seen.filter((found) => found !== undefined)).toEqual([code])
  })
})
