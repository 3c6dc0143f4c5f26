import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary } from '../../test/support/canonical-arbitraries.ts'
import { createFailure } from './failure.ts'
import { createReplyFold, foldReply } from './fold-reply.ts'
import { type FormatId, formatIds } from './format.ts'
import type { ReplyEvent } from './reply-event.ts'
import { unfoldReply } from './unfold-reply.ts'
import { noUsage } from './usage.ts'

const start: ReplyEvent = { type: 'reply-start', id: 'r1', model: 'm1' }
const end: ReplyEvent = { type: 'reply-end' }
const first = { choice: 0, block: 0 } as const

describe('the reply fold', () => {
  it('joins deltas into blocks, even if blocks of one choice overlap in time', () => {
    const second = { choice: 0, block: 1 } as const
    const reply = foldReply([
      start,
      {
        type: 'block-start',
        ...first,
        start: { type: 'tool-call', id: 'a', name: 'read', kind: 'function' },
      },
      { type: 'tool-input-delta', ...first, text: '{"path":' },
      {
        type: 'block-start',
        ...second,
        start: { type: 'tool-call', id: 'b', name: 'list', kind: 'function' },
      },
      { type: 'tool-input-delta', ...second, text: '{}' },
      { type: 'tool-input-delta', ...first, text: '"x"}' },
      { type: 'block-end', ...first },
      { type: 'block-end', ...second },
      { type: 'choice-end', choice: 0, stopReason: 'tool-calls' },
      end,
    ])
    expect(reply).toEqual({
      id: 'r1',
      model: 'm1',
      choices: [
        {
          content: [
            { type: 'tool-call', id: 'a', name: 'read', kind: 'function', input: '{"path":"x"}' },
            { type: 'tool-call', id: 'b', name: 'list', kind: 'function', input: '{}' },
          ],
          stopReason: 'tool-calls',
        },
      ],
    })
  })

  it('joins thinking with its signature, text with its citations, and audio that began with a part', () => {
    const audio = { choice: 1, block: 0 } as const
    const text = { choice: 0, block: 1 } as const
    const reply = foldReply([
      start,
      { type: 'block-start', ...audio, start: { type: 'audio', id: 'audio_1', data: 'AAAA' } },
      { type: 'audio-delta', ...audio, data: 'BBBB', transcript: 'Hel' },
      { type: 'audio-delta', ...audio, transcript: 'lo', expiresAtSeconds: 9 },
      { type: 'block-start', ...first, start: { type: 'thinking' } },
      { type: 'text-delta', ...first, text: 'hm' },
      { type: 'signature-delta', ...first, signature: 'c2ln' },
      { type: 'block-start', ...text, start: { type: 'text' } },
      { type: 'text-delta', ...text, text: 'So ' },
      { type: 'citation-delta', ...text, citation: { url: 'https://example.com' } },
      { type: 'text-delta', ...text, text: 'it is.' },
      end,
    ])
    expect(reply).toMatchObject({
      choices: [
        {
          content: [
            { type: 'thinking', text: 'hm', signature: 'c2ln' },
            { type: 'text', text: 'So it is.', citations: [{ url: 'https://example.com' }] },
          ],
        },
        {
          content: [
            { type: 'audio', id: 'audio_1', data: 'AAAABBBB', transcript: 'Hello', expiresAtSeconds: 9 },
          ],
        },
      ],
    })
  })

  it('keeps the last usage, and prefers the tier and extras at the end over those at the start', () => {
    const reply = foldReply([
      { ...start, serviceTier: 'auto', extras: { format: 'chat', fields: { a: 1, b: 1 } } },
      { type: 'usage', usage: { ...noUsage, outputTokens: 1 } },
      { type: 'usage', usage: { ...noUsage, outputTokens: 7 } },
      { type: 'reply-end', serviceTier: 'flex', extras: { format: 'chat', fields: { b: 2 } } },
    ])
    expect(reply).toEqual({
      id: 'r1',
      model: 'm1',
      choices: [],
      usage: { ...noUsage, outputTokens: 7 },
      serviceTier: 'flex',
      extras: { format: 'chat', fields: { a: 1, b: 2 } },
    })
  })

  it('appends log probabilities', () => {
    const reply = foldReply([
      start,
      { type: 'logprobs-delta', choice: 0, logprobs: { content: [{ token: 'a' }] } },
      { type: 'logprobs-delta', choice: 0, logprobs: { content: [{ token: 'b' }], refusal: [] } },
      end,
    ])
    expect(reply).toMatchObject({
      choices: [{ content: [], logprobs: { content: [{ token: 'a' }, { token: 'b' }], refusal: [] } }],
    })
  })

  it('returns the failure of the stream, whatever came before or after it', () => {
    const failure = createFailure('upstream_overloaded')
    expect(foldReply([start, { type: 'failure', failure }, end])).toBe(failure)
    expect(foldReply([{ type: 'failure', failure }])).toBe(failure)
  })

  it('never makes an incomplete answer look complete', () => {
    expect(foldReply([])).toMatchObject({ code: 'upstream_empty' })
    expect(foldReply([start, { type: 'choice-end', choice: 0, stopReason: 'end' }])).toMatchObject({
      code: 'upstream_disconnected',
    })
  })

  const outOfOrder: Readonly<Record<string, readonly ReplyEvent[]>> = {
    'an event before the start': [{ type: 'usage', usage: noUsage }],
    'a second start': [start, start],
    'an event after the end': [start, end, { type: 'usage', usage: noUsage }],
    'a gap in the numbers of blocks': [
      start,
      { type: 'block-start', choice: 0, block: 1, start: { type: 'text' } },
    ],
    'a delta of a block that never started': [start, { type: 'text-delta', ...first, text: 'x' }],
    'a delta after its block ended': [
      start,
      { type: 'block-start', ...first, start: { type: 'text' } },
      { type: 'block-end', ...first },
      { type: 'text-delta', ...first, text: 'x' },
    ],
    'a delta of another kind of block': [
      start,
      { type: 'block-start', ...first, start: { type: 'text' } },
      { type: 'tool-input-delta', ...first, text: '{}' },
    ],
    'a block after its choice ended': [
      start,
      { type: 'choice-end', choice: 0 },
      { type: 'block-start', ...first, start: { type: 'text' } },
    ],
    'a choice that no provider numbers so': [start, { type: 'choice-end', choice: 2 ** 31 }],
  }
  for (const [name, events] of Object.entries(outOfOrder)) {
    it(`refuses ${name}`, () => {
      expect(foldReply([...events, end])).toMatchObject({ code: 'internal_error' })
    })
  }

  it('accepts events one at a time, and is incomplete until the end event', () => {
    const fold = createReplyFold()
    fold.push(start)
    expect(fold.result()).toMatchObject({ code: 'upstream_disconnected' })
    fold.push(end)
    expect(fold.result()).toEqual({ id: 'r1', model: 'm1', choices: [] })
  })
})

describe('law 2', () => {
  const formats: readonly (FormatId | undefined)[] = [undefined, ...formatIds]
  for (const format of formats) {
    it(`gives back every reply that is replayed as a stream (${format ?? 'any format'})`, () => {
      const replies = replyArbitrary(format === undefined ? {} : { format })
      fc.assert(
        fc.property(replies, (reply) => {
          expect(foldReply(unfoldReply(reply))).toStrictEqual(reply)
        }),
        { numRuns: 500 },
      )
    })
  }

  it('folds an empty reply back to itself', () => {
    const reply = { id: 'r', model: 'm', choices: [{ content: [] }] }
    expect(foldReply(unfoldReply(reply))).toStrictEqual(reply)
  })
})
