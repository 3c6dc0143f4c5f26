import { describe, expect, it } from 'vitest'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

function watch(...chunks: readonly unknown[]) {
  const watcher = createStreamWatcher()
  const text = chunks.map(
    (chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\r\n\r\n`,
  )
  const inspections = createSseParser()
    .push(Buffer.from(text.join('')))
    .map((frame) => watcher.inspect(frame))
  return { watcher, inspections }
}

const say = (text: string, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text }] }, index: 0, ...more }],
  modelVersion: 'gemini-3-flash',
})

const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 }

describe('an untranslated stream of the Gemini format', () => {
  it('has content from its first text, and ends with the last of its candidates', () => {
    const { watcher, inspections } = watch(
      say(''),
      say('Hi'),
      {
        candidates: [
          { index: 0, finishReason: 'STOP' },
          { index: 1, content: {} },
        ],
      },
      { usageMetadata: { trafficType: 'ON_DEMAND' } },
    )
    expect(inspections.map(({ hasContent }) => hasContent)).toEqual([false, true, true, false])
    expect([watcher.hasStopReason, watcher.isTerminated]).toEqual([false, false])
    expect(watcher.usage).toBeUndefined()
  })

  it('has its usage, and later counts replace earlier ones', () => {
    const { watcher } = watch(
      { ...say('a'), usageMetadata: { promptTokenCount: 3 } },
      { ...say('b', { finishReason: 'STOP' }), usageMetadata },
      { usageMetadata: { trafficType: 'ON_DEMAND' } },
    )
    expect(watcher.hasStopReason).toBe(true)
    expect(watcher.usage).toMatchObject({ freshInputTokens: 3, outputTokens: 2, isEstimated: false })
  })

  it('fails on errors, broken calls and text that is not JSON', () => {
    const failing: readonly (readonly [unknown, string])[] = [
      [
        { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } },
        'upstream_rate_limited',
      ],
      [say('', { finishReason: 'MALFORMED_FUNCTION_CALL' }), 'upstream_error'],
      ['{"candidates"', 'upstream_bad_response'],
      ['[1]', 'upstream_bad_response'],
    ]
    for (const [chunk, code] of failing) {
      const { inspections } = watch(say('Hi'), chunk)
      expect(inspections[1]?.failure?.code).toBe(code)
    }
  })

  it('accepts a refused prompt as an answer', () => {
    const { watcher, inspections } = watch({ promptFeedback: { blockReason: 'SAFETY' } })
    expect([inspections[0]?.hasContent, watcher.hasStopReason]).toEqual([true, true])
  })
})

describe('an untranslated whole answer of the Gemini format', () => {
  it('is watched for its usage and its faults', () => {
    const whole = { ...say('Hi', { finishReason: 'STOP' }), usageMetadata }
    expect(watchReply(whole)).toMatchObject({ usage: { outputTokens: 2 } })
    expect(watchReply(whole).failure).toBeUndefined()
    expect(watchReply({ promptFeedback: { blockReason: 'SAFETY' } }).failure).toBeUndefined()
    expect(watchReply({ candidates: [] }).failure?.code).toBe('upstream_empty')
    expect(watchReply([]).failure?.code).toBe('upstream_bad_response')
    expect(watchReply({ error: { code: 500, message: 'Oh.' } }).failure?.code).toBe('upstream_error')
    expect(watchReply(say('', { finishReason: 'UNEXPECTED_TOOL_CALL' })).failure?.code).toBe('upstream_error')
  })

  it('is cut when a candidate has no finish reason', () => {
    const ended = say('Hi', { finishReason: 'STOP' }).candidates
    const cut: readonly (readonly [unknown, string | undefined])[] = [
      [say('Hi'), 'upstream_disconnected'],
      [say('Hi', { finishReason: '' }), 'upstream_disconnected'],
      [say('Hi', { finishReason: 'FINISH_REASON_UNSPECIFIED' }), 'upstream_disconnected'],
      [{ candidates: [...ended, { index: 1, content: { parts: [] } }] }, 'upstream_disconnected'],
      [{ candidates: ended }, undefined],
      [{ candidates: [{ finishReason: 'SAFETY' }] }, undefined],
    ]
    for (const [body, code] of cut) {
      expect(watchReply(JSON.parse(JSON.stringify(body))).failure?.code).toBe(code)
    }
  })
})
