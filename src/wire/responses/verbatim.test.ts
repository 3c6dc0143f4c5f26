import { describe, expect, it } from 'vitest'
import { createFailure } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { responsesFormat } from './format.ts'

function watch(...frames: readonly string[]) {
  const watcher = responsesFormat.createStreamWatcher()
  const inspections = createSseParser()
    .push(Buffer.from(frames.join('')))
    .map((frame) => watcher.inspect(frame))
  return { watcher, inspections }
}

function frame(event: Readonly<Record<string, unknown>>): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`
}

const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 5, cache_write_tokens: 3 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 29,
}

const response = {
  object: 'response',
  model: 'm-2026',
  status: 'completed',
  output: [{ type: 'message' }],
  usage,
}

const counted = {
  freshInputTokens: 12,
  cacheReadTokens: 5,
  cacheWriteShortTokens: 3,
  outputTokens: 9,
  reasoningTokens: 4,
  isEstimated: false,
}

describe('an untranslated responses stream', () => {
  it('has content from its first text, and its usage at its end', () => {
    const { watcher, inspections } = watch(
      frame({ type: 'response.created', response: { model: 'm-2026', usage: null } }),
      frame({ type: 'response.output_item.added', item: { type: 'message' } }),
      frame({ type: 'response.output_text.delta', delta: 'Hi' }),
      frame({ type: 'response.completed', response }),
    )
    expect(inspections.map(({ hasContent }) => hasContent)).toEqual([false, false, true, true])
    expect([watcher.hasStopReason, watcher.isTerminated]).toEqual([true, true])
    expect(watcher.usage).toMatchObject(counted)
  })

  it('fails on errors, and on an end without data', () => {
    const failing = [
      frame({ type: 'error', code: 'server_error', message: 'Oh.' }),
      frame({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error', message: 'Oh.' } },
      }),
      'event: response.completed\ndata:\n\n',
      'data: {"type":\n\n',
    ]
    for (const text of failing) expect(watch(text).inspections[0]?.failure, text).toBeDefined()
  })
})

describe('an untranslated whole response', () => {
  it('is watched for its usage, in progress or done', () => {
    expect(responsesFormat.watchReply(response)).toMatchObject({ usage: counted })
    const queued = { object: 'response', status: 'queued', model: 'm', output: [] }
    expect(responsesFormat.watchReply(queued).failure).toBeUndefined()
    expect(responsesFormat.watchReply({ ...response, output: [] }).failure).toBeUndefined()
  })

  it.each([
    [{ ...response, status: undefined, output: [] }, 'upstream_empty'],
    [{ ...response, status: 'failed', error: { code: 'server_error', message: 'Oh.' } }, 'upstream_error'],
    [{ error: { message: 'Overloaded', type: 'overloaded' } }, 'upstream_overloaded'],
    [{ hello: 'world' }, 'upstream_bad_response'],
    [null, 'upstream_bad_response'],
  ])('fails when it is invalid: %j', (body, code) => {
    expect(responsesFormat.watchReply(body).failure?.code).toBe(code)
  })
})

describe('the error event of a responses stream', () => {
  it('is an error for the official client and a failed response for Codex, with the message of the failure', () => {
    const failure = createFailure('upstream_disconnected')
    const [first, second] = responsesFormat.writeErrorEvent(failure, 'req_1').split('\n\n')
    const error = { code: 'upstream_disconnected', message: failure.message }
    expect(first).toMatch(/^event: error\n/)
    expect(JSON.parse(first?.split('data: ')[1] ?? '')).toMatchObject({ type: 'error', ...error, error })
    expect(JSON.parse(second?.split('data: ')[1] ?? '')).toMatchObject({
      type: 'response.failed',
      response: { id: 'req_1', status: 'failed', error },
    })
  })

  it.each([
    [undefined, 0],
    ['event: ping\ndata: {}\n\n', 0],
    ['data: {"sequence_number":7}\n\ndata: {"delta":"\\"sequence_number\\":99","sequence_number": 8}\n\n', 9],
    ['data: {"sequence_number":8,"delta":"\\"sequence_number\\":99"}\n\n', 9],
  ])('goes on with the numbers of the frames before: %j', (shown, number) => {
    const failure = createFailure('upstream_disconnected')
    for (const frames of [shown, shown === undefined ? undefined : Buffer.from(shown)]) {
      const written = responsesFormat.writeErrorEvent(failure, 'req_1', frames)
      const numbers = [...written.matchAll(/"sequence_number":(\d+)/g)].map(([, digits]) => Number(digits))
      expect(numbers).toEqual([number, number + 1])
    }
  })
})

describe('the metadata that an answer repeats', () => {
  const formOf = (metadata: unknown) =>
    responsesFormat.answerFormOf?.(
      responsesFormat.scanRequest(
        BodyBytes.from([Buffer.from(JSON.stringify({ model: 'm', input: 'Hi', metadata }))]),
      ),
    )

  it('is an object of texts', () => {
    expect(formOf({ ticket: '4711' })).toEqual({ metadata: { ticket: '4711' } })
    for (const other of [{ ticket: 4711 }, { ticket: { deep: '1' } }, ['4711'], '4711', null])
      expect(formOf(other)).toEqual({ metadata: undefined })
  })

  it('is left out where it is larger than OpenAI takes, since a stream repeats it three times', () => {
    const largest = Object.fromEntries(
      Array.from({ length: 16 }, (_, at) => [`${at}`.padEnd(64, 'k'), '"'.repeat(512)]),
    )
    expect(formOf(largest)).toEqual({ metadata: largest })
    expect(formOf({ ticket: 'x'.repeat(64 * 1024) })).toEqual({})
  })
})
