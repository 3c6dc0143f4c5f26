import { describe, expect, it, test } from 'vitest'
import {
  cohereContent,
  cohereEnd,
  cohereStart,
  cohereUsage,
  foldCohere,
} from '../../../../test/support/cohere-stream.ts'
import type { Failure } from '../../../canonical/failure.ts'
import type { Reply } from '../../../canonical/reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { readReply } from './read-reply.ts'

test('thinking and text are blocks, and usage includes all input', () => {
  const reply = foldCohere([
    cohereStart,
    cohereContent('start', 0, { type: 'thinking', thinking: '' }),
    cohereContent('delta', 0, { thinking: 'Two and ' }),
    cohereContent('delta', 0, { thinking: 'two.' }),
    { type: 'content-end', index: 0 },
    cohereContent('start', 1, { type: 'text', text: '' }),
    cohereContent('delta', 1, { text: 'Four' }),
    { type: 'content-end', index: 1 },
    cohereEnd('COMPLETE', {
      usage: {
        ...cohereUsage,
        tokens: { ...cohereUsage.tokens, reasoning_tokens: 4, image_tokens: 30 },
        cached_tokens: 448,
      },
    }),
  ])
  expect(reply).toMatchObject({
    id: 'reply-1',
    choices: [
      {
        content: [
          { type: 'thinking', text: 'Two and two.' },
          { type: 'text', text: 'Four' },
        ],
        stopReason: 'end',
      },
    ],
    usage: {
      freshInputTokens: 94,
      cacheReadTokens: 448,
      inputImageTokens: 30,
      outputTokens: 7,
      reasoningTokens: 4,
      isEstimated: false,
    },
  })
})

test('a plan is thinking, and the calls after it stream their arguments piece by piece', () => {
  const call = (type: string, index: number, piece: JsonObject) => ({
    type: `tool-call-${type}`,
    index,
    delta: { message: { tool_calls: piece } },
  })
  const reply = foldCohere([
    cohereStart,
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will ' } } },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'look.' } } },
    call('start', 0, { id: 'c1', type: 'function', function: { name: 'look', arguments: '' } }),
    call('delta', 0, { function: { arguments: '{"at":' } }),
    call('delta', 0, { function: { arguments: '"sky"}' } }),
    { type: 'tool-call-end', index: 0 },
    call('start', 1, { id: 'c2', type: 'function', function: { name: 'wait', arguments: '{}' } }),
    { type: 'tool-call-end', index: 1 },
    cohereEnd('TOOL_CALL'),
  ])
  expect(reply).toMatchObject({
    choices: [
      {
        content: [
          { type: 'thinking', text: 'I will look.' },
          { type: 'tool-call', id: 'c1', name: 'look', input: '{"at":"sky"}' },
          { type: 'tool-call', id: 'c2', name: 'wait', input: '{}' },
        ],
        stopReason: 'tool-calls',
      },
    ],
  })
})

describe('a source', () => {
  const cited = (citation: JsonObject): JsonObject => ({
    type: 'citation-start',
    index: 0,
    delta: { message: { citations: citation } },
  })
  const citationsOf = (reply: Reply | Failure) => {
    const block = 'choices' in reply ? reply.choices[0]?.content[0] : undefined
    return block?.type === 'text' ? block.citations : undefined
  }
  const told = (text: string, citation: JsonObject) => [
    cohereStart,
    cohereContent('start', 0, { type: 'text', text: '' }),
    cohereContent('delta', 0, { text }),
    { type: 'content-end', index: 0 },
    cited(citation),
    cohereEnd('COMPLETE'),
  ]

  it('has its address, title and quoted text, each source by itself', () => {
    const sources = [
      {
        type: 'document',
        id: 'd',
        document: { id: 'd', title: 'Facts', text: 'Ruby …', url: 'https://x.org/f' },
      },
      { type: 'tool', id: 't:0', tool_output: { content: 'Since 1993' } },
    ]
    const reply = foldCohere(told('Ruby is from 1993.', { start: 13, end: 17, text: '1993', sources }))
    expect(citationsOf(reply)).toEqual([
      {
        startIndex: 13,
        endIndex: 17,
        url: 'https://x.org/f',
        title: 'Facts',
        citedText: 'Ruby …',
        extras: { format: 'cohere', fields: { type: 'document', id: 'd' } },
      },
      {
        startIndex: 13,
        endIndex: 17,
        citedText: 'Since 1993',
        extras: { format: 'cohere', fields: { type: 'tool', id: 't:0' } },
      },
    ])
  })

  it('has offsets in UTF-16 units, although the provider counts characters', () => {
    const reply = foldCohere(told('😀😀 1993', { start: 3, end: 7, text: '1993', sources: [] }))
    expect(citationsOf(reply)).toEqual([{ startIndex: 5, endIndex: 9 }])
  })
})

describe('the finish reason of an answer', () => {
  const said = [cohereStart, cohereContent('delta', 0, { text: 'Hi' })]

  it.each([
    ['COMPLETE', 'end'],
    ['STOP_SEQUENCE', 'stop-sequence'],
    ['MAX_TOKENS', 'length'],
    ['TOOL_CALL', 'tool-calls'],
    ['SOMETHING_NEW', 'end'],
  ])('%s is %s', (word, stopReason) => {
    expect(foldCohere([...said, cohereEnd(word)])).toMatchObject({ choices: [{ stopReason }] })
  })

  it.each([
    ['ERROR', 'upstream_error'],
    ['TIMEOUT', 'upstream_timeout'],
  ])('%s is the failure %s', (word, code) => {
    expect(foldCohere([...said, cohereEnd(word)])).toMatchObject({ code })
  })

  it('with an error is that failure, with its message', () => {
    const failure = foldCohere([...said, cohereEnd('ERROR', { error: 'too many tokens: the limit is 4096' })])
    expect(failure).toMatchObject({ code: 'context_length_exceeded' })
  })

  it('that is unknown is preserved', () => {
    expect(foldCohere([...said, cohereEnd('SOMETHING_NEW')])).toMatchObject({
      choices: [{ extras: { format: 'cohere', fields: { finish_reason: 'SOMETHING_NEW' } } }],
    })
  })

  it('that never came is a failure, and so is an empty answer', () => {
    expect(foldCohere(said)).toMatchObject({ code: 'upstream_disconnected' })
    expect(foldCohere([])).toMatchObject({ code: 'upstream_empty' })
    expect(foldCohere([cohereStart, { type: 'message-end', delta: {} }])).toMatchObject({
      code: 'upstream_empty',
    })
  })
})

test('a body with an error, or of an unknown form, is a failure', () => {
  expect(readReply({ id: 'x', message: 'invalid api token' })).toMatchObject({
    code: 'upstream_bad_response',
  })
  expect(readReply({ error: { message: 'rate limit exceeded' } })).toMatchObject({
    code: 'upstream_rate_limited',
  })
  expect(readReply([])).toMatchObject({ code: 'upstream_bad_response' })
})
