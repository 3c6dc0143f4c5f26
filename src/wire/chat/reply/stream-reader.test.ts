import { describe, expect, it } from 'vitest'
import { chunk, delta, done, finish } from '../../../../test/support/chat-chunks.ts'
import type { Failure } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Choice, Reply } from '../../../canonical/reply.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { createStreamReader } from './stream-reader.ts'

function readText(text: string): readonly ReplyEvent[] {
  const parser = createSseParser()
  const reader = createStreamReader()
  const frames = [...parser.push(Buffer.from(text))]
  const last = parser.end()
  if (last !== undefined) frames.push(last)
  return [...frames.flatMap((frame) => reader.push(frame)), ...reader.end()]
}

function fold(...frames: string[]): Reply | Failure {
  return foldReply(readText(frames.join('')))
}

function choiceOf(...frames: string[]): Choice | undefined {
  const reply = fold(...frames)
  if ('code' in reply) throw new Error(reply.code)
  return reply.choices[0]
}

function codeOf(...frames: string[]): string {
  const reply = fold(...frames)
  return 'code' in reply ? reply.code : 'good'
}

const call = (name: string, text: string) => ({ function: { name, arguments: text } })

describe('the text of a streamed answer', () => {
  it('makes blocks in the order of its arrival', () => {
    const choice = choiceOf(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'th' }),
      delta({ reasoning: 'ink' }),
      delta({ content: 'He' }),
      delta({ content: 'llo' }),
      delta({ refusal: 'no' }),
      finish('stop'),
      done,
    )
    expect(choice?.content).toEqual([
      { type: 'thinking', text: 'think' },
      { type: 'text', text: 'Hello' },
      { type: 'refusal', text: 'no' },
    ])
  })

  it('is read from details with their signatures, and not twice', () => {
    const entry = { type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1' }
    const choice = choiceOf(
      delta({ reasoning: 'a', reasoning_details: [{ ...entry, text: 'a' }] }),
      delta({ reasoning: 'b', reasoning_details: [{ ...entry, text: 'b' }] }),
      delta({ reasoning_details: [{ ...entry, signature: 'sig' }] }),
      delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz', index: 1 }] }),
      finish('stop'),
    )
    const extras = { format: 'chat', fields: { format: 'anthropic-claude-v1' } }
    expect(choice?.content).toEqual([
      { type: 'thinking', text: 'ab', signature: 'sig', extras },
      { type: 'redacted-thinking', data: 'xyz' },
    ])
  })

  it('of reasoning retains an index that is not the number of its entry', () => {
    const choice = choiceOf(
      delta({ reasoning_details: [{ type: 'reasoning.text', text: 'a', index: 0 }] }),
      delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz', index: 0 }] }),
      finish('stop'),
    )
    expect(choice?.content).toEqual([
      { type: 'thinking', text: 'a' },
      { type: 'redacted-thinking', data: 'xyz', extras: { format: 'chat', fields: { index: 0 } } },
    ])
  })

  it('of reasoning after a signature is another block', () => {
    const entry = { type: 'reasoning.text' }
    const choice = choiceOf(
      delta({ reasoning_details: [{ ...entry, text: 'a', signature: 's' }] }),
      delta({ reasoning_details: [{ ...entry, text: 'b', signature: 't' }] }),
      finish('stop'),
    )
    expect(choice?.content).toEqual([
      { type: 'thinking', text: 'a', signature: 's' },
      { type: 'thinking', text: 'b', signature: 't' },
    ])
  })

  it('may be missing beside citations, which then stay unchanged', () => {
    const url_citation = { url: 'u', title: 't', start_index: 0, end_index: 2 }
    const annotations = [{ type: 'url_citation', url_citation }]
    const tool_calls = [{ index: 0, id: 'a', ...call('f', '{}') }]
    expect(choiceOf(delta({ annotations }), delta({ tool_calls }), finish('tool_calls'))?.extras).toEqual({
      format: 'chat',
      fields: { message: { annotations } },
    })
  })

  it('may be a list of parts: thinking, text and references', () => {
    const choice = choiceOf(
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
      delta({ content: [{ type: 'text', text: 'So' }] }),
      delta({ content: [{ type: 'reference', reference_ids: [1] }] }),
      delta({ content: [{ type: 'text', text: ' it is' }] }),
      finish('stop'),
    )
    const reference = { extras: { format: 'chat', fields: { type: 'reference', reference_ids: [1] } } }
    expect(choice?.content).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'So it is', citations: [reference] },
    ])
  })

  it('has the places of its sources, counted from its own start and not from that of the content', () => {
    const source = (start_index: number, end_index: number) => ({
      type: 'url_citation',
      url_citation: { url: 'u', title: 't', start_index, end_index },
    })
    const choice = choiceOf(
      delta({ content: 'Let me check. ' }),
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'Vienna', annotations: [source(14, 20)] }),
      delta({ annotations: [source(0, 3)] }),
      finish('stop'),
    )
    const [placed, ofTextBefore] = [
      { url: 'u', title: 't', startIndex: 0, endIndex: 6 },
      { url: 'u', title: 't' },
    ]
    expect(choice?.content).toEqual([
      { type: 'text', text: 'Let me check. ' },
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Vienna', citations: [placed, ofTextBefore] },
    ])
  })

  it('has citations, audio and log probabilities beside it', () => {
    const source = {
      type: 'url_citation',
      url_citation: { url: 'u', title: 't', start_index: 0, end_index: 2 },
    }
    const choice = choiceOf(
      chunk({ delta: { content: 'Hi', annotations: [source] }, logprobs: { content: [1], refusal: null } }),
      delta({ audio: { id: 'a' } }),
      delta({ audio: { transcript: 'H' } }),
      delta({ audio: { data: 'AA', transcript: 'i' } }),
      chunk({ delta: { audio: { expires_at: 9 } }, logprobs: { content: [2], refusal: null } }),
      finish('stop'),
    )
    expect(choice).toEqual({
      content: [
        { type: 'text', text: 'Hi', citations: [{ url: 'u', title: 't', startIndex: 0, endIndex: 2 }] },
        { type: 'audio', id: 'a', transcript: 'Hi', data: 'AA', expiresAtSeconds: 9 },
      ],
      logprobs: { content: [1, 2] },
      stopReason: 'end',
    })
  })

  it('of several choices does not mix', () => {
    const reply = fold(
      chunk({ index: 1, delta: { content: 'b' } }),
      chunk({ index: 0, delta: { content: 'a' } }),
      chunk({ index: 1, delta: {}, finish_reason: 'length' }),
      chunk({ index: 0, delta: {}, finish_reason: 'stop' }),
    )
    expect('choices' in reply && reply.choices).toEqual([
      { content: [{ type: 'text', text: 'a' }], stopReason: 'end' },
      { content: [{ type: 'text', text: 'b' }], stopReason: 'length' },
    ])
  })
})

describe('the frame of an answer', () => {
  it('may begin with an empty chunk of filter results and end with usage', () => {
    const reply = fold(
      'data: {"id":"","model":"","created":0,"choices":[],"prompt_filter_results":[1]}\n\n',
      delta({ content: 'x' }),
      finish('stop'),
      chunk(undefined, { usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3, cost: 0.5 } }),
      done,
    )
    expect(reply).toMatchObject({
      id: 'i',
      model: 'm',
      createdAtSeconds: 5,
      usage: { freshInputTokens: 2, outputTokens: 1 },
      extras: { format: 'chat', fields: { prompt_filter_results: [1], usage: { cost: 0.5 } } },
    })
  })

  it.each([
    ['on the finish chunk', chunk({ delta: {}, finish_reason: 'stop' }, { usage: { prompt_tokens: 4 } })],
    [
      'in a field of the vendor',
      chunk({ finish_reason: 'stop' }, { x_groq: { usage: { prompt_tokens: 4 } } }),
    ],
    [
      'after an earlier, smaller one',
      chunk(undefined, { usage: { prompt_tokens: 1 } }) +
        finish('stop') +
        chunk(undefined, { usage: { prompt_tokens: 4 } }),
    ],
  ])('has its usage %s', (_name, frames) => {
    expect(fold(delta({ content: 'x' }), frames)).toMatchObject({ usage: { freshInputTokens: 4 } })
  })

  it.each([
    ['stop', 'end'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['eos', 'end'],
    ['guardrail_intervened', 'content-filter'],
    ['model_length', 'length'],
    [3, 'end'],
    ['something new', 'end'],
  ])('may end for the reason %j', (reason, expected) => {
    expect(choiceOf(delta({ content: 'x' }), finish(reason), finish(reason), done)?.stopReason).toBe(expected)
  })

  it('reads an unknown finish reason after calls as tool calls', () => {
    const frames = delta({ tool_calls: [{ index: 0, id: 'a', ...call('f', '{}') }] })
    expect(choiceOf(frames, finish('done'))?.stopReason).toBe('tool-calls')
  })

  it('is complete with a reason and no terminator, or with a terminator and no reason', () => {
    expect(codeOf(delta({ content: 'x' }), finish('stop'))).toBe('good')
    expect(codeOf(delta({ content: 'x' }), done)).toBe('good')
    expect(codeOf(delta({ content: 'x' }), chunk({ delta: {}, finish_reason: '' }))).toBe(
      'upstream_disconnected',
    )
  })

  it('ignores comments, empty data and everything after the end', () => {
    const events = readText(
      `: hi\n\ndata:\n\n${delta({ content: 'x' })}${finish('stop')}${done}data: {\n\n${done}`,
    )
    expect(events.at(-1)?.type).toBe('reply-end')
    expect(events.filter(({ type }) => type === 'reply-end')).toHaveLength(1)
  })
})

describe('an answer that fails', () => {
  it.each([
    ['without a frame', [''], 'upstream_empty'],
    ['with nothing but the terminator', [done], 'upstream_empty'],
    ['after the role alone', [delta({ role: 'assistant' })], 'upstream_disconnected'],
    ['in the middle', [delta({ content: 'x' })], 'upstream_disconnected'],
    [
      'with one choice of two unfinished',
      [delta({ content: 'x' }), finish('stop'), chunk({ index: 1, delta: { content: 'y' } })],
      'upstream_disconnected',
    ],
    [
      'with a frame that is no JSON',
      [delta({ content: 'x' }), 'data: {"choices"\n\n'],
      'upstream_bad_response',
    ],
    ['with a frame that is no object', ['data: 7\n\n'], 'upstream_bad_response'],
    [
      'with an error object',
      [chunk(undefined, { error: { message: 'Rate limit reached', code: 429 } })],
      'upstream_rate_limited',
    ],
    ['with an error in a field', ['data: {"error":"boom"}\n\n'], 'upstream_error'],
    [
      'with an error of the older shape',
      ['data: {"object":"error","message":"m","code":503}\n\n'],
      'upstream_overloaded',
    ],
    [
      'with a code and a message',
      ['data: {"code":"insufficient_quota","message":"m"}\n\n'],
      'upstream_quota',
    ],
    ['with a detail', ['data: {"detail":"The engine is overloaded"}\n\n'], 'upstream_overloaded'],
    [
      'with an error event',
      ['event: error\ndata: {"error":{"message":"bad","status_code":400}}\n\n'],
      'upstream_rejected',
    ],
    ['with an error line', ['error: {"detail":"failed to decode"}\n\n'], 'upstream_error'],
    ['with the reason error', [delta({ content: 'x' }), finish('error')], 'upstream_error'],
  ])('%s is a failure', (_name, frames, code) => {
    expect(codeOf(...frames)).toBe(code)
    expect(readText(frames.join('')).filter(({ type }) => type === 'failure')).toHaveLength(1)
  })
})
