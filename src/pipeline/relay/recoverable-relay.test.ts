import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { noUsage } from '../../canonical/usage.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { ShownTranscript } from '../exchange/shown-transcript.ts'
import { createRecoverableRelay } from './recoverable-relay.ts'
import { ReplayVerifier } from './replay-verifier.ts'

const text = (words: string): ReplyEvent => ({ type: 'text-delta', choice: 0, block: 0, text: words })
const start: ReplyEvent = { type: 'reply-start', id: 'a', model: 'm' }
const block: ReplyEvent = { type: 'block-start', choice: 0, block: 0, start: { type: 'text' } }
const blockEnd: ReplyEvent = { type: 'block-end', choice: 0, block: 0 }
const choiceEnd: ReplyEvent = { type: 'choice-end', choice: 0, stopReason: 'end' }
const end: ReplyEvent = { type: 'reply-end' }
const call = (id: string, name: string): ReplyEvent => ({
  type: 'block-start',
  choice: 0,
  block: 1,
  start: { type: 'tool-call', id, name, kind: 'function' },
})

const input = (words: string): ReplyEvent => ({ type: 'tool-input-delta', choice: 0, block: 1, text: words })

function transcriptOf(events: readonly ReplyEvent[]): ShownTranscript {
  const writer = chatFormat.createStreamWriter({ streamUsage: true, requestId: 'r' })
  const transcript = new ShownTranscript(writer)
  for (const event of events) transcript.record(event)
  return transcript
}

function verify(shown: readonly ReplyEvent[], again: readonly ReplyEvent[]) {
  const verifier = new ReplayVerifier(transcriptOf(shown))
  const fresh: ReplyEvent[] = []
  for (const event of again) {
    const verified = verifier.verify(event)
    if (verified === 'diverged') return 'diverged'
    fresh.push(...verified)
  }
  return fresh
}

describe('another generation of an answer', () => {
  it('continues where the first broke off, for any split of its text', () => {
    const again = [start, block, text('On'), text('ce upon a'), text(' time'), blockEnd, choiceEnd, end]
    expect(verify([start, block, text('Once '), text('upon')], again)).toEqual([
      text(' a'),
      text(' time'),
      blockEnd,
      choiceEnd,
      end,
    ])
  })

  it('shows nothing until all of the shown text has come again', () => {
    expect(verify([start, block, text('Once upon')], [start, block, text('Once '), text('up')])).toEqual([])
  })

  it('shows nothing until every shown block has come again, whatever empty parts come between', () => {
    const shown = [start, block, text('x'), blockEnd, call('c1', 'f'), input('{"a":')]
    const usage: ReplyEvent = { type: 'usage', usage: noUsage }
    const again = [start, block, text('x'), text(''), blockEnd, call('c2', 'f'), usage]
    expect(verify(shown, again)).toEqual([])
    expect(verify(shown, [...again, input('{"a":1}')])).toEqual([usage, input('1}')])
  })

  it('diverges at the first different word', () => {
    expect(verify([start, block, text('Once upon')], [start, block, text('Once there')])).toBe('diverged')
  })

  it('diverges when it ends before the shown text does', () => {
    expect(verify([start, block, text('Once upon')], [start, block, text('Once'), blockEnd])).toBe('diverged')
    expect(verify([start, block, text('Once upon')], [start, choiceEnd])).toBe('diverged')
  })

  it('diverges when a block that was shown in full continues', () => {
    expect(verify([start, block, text('Once'), blockEnd], [start, block, text('Once upon')])).toBe('diverged')
  })

  it('may give its calls other ids, but must call the same tool with the same input', () => {
    const shown = [start, block, text('x'), blockEnd, call('c1', 'f'), input('{"a":')]
    const before = [start, block, text('x'), blockEnd]
    expect(verify(shown, [...before, call('c2', 'f'), input('{"a":1}')])).toEqual([input('1}')])
    expect(verify(shown, [...before, call('c2', 'g')])).toBe('diverged')
    expect(verify(shown, [...before, call('c2', 'f'), input('{"b":')])).toBe('diverged')
  })

  it('is not tried after audio or log probabilities were shown', () => {
    const transcript = transcriptOf([start, { type: 'logprobs-delta', choice: 0, logprobs: { content: [] } }])
    expect(transcript.isReproducible).toBe(false)
  })

  it('completes the shown text to the whole answer, wherever the first broke off and however both were split', () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(words, words, fc.nat(), (pieces, sizes, cutSeed) => {
        const whole = pieces.join('')
        const shownLength = cutSeed % (whole.length + 1)
        const shown = [start, block, ...(shownLength === 0 ? [] : [text(whole.slice(0, shownLength))])]
        const again = verify(shown, [start, block, ...cut(whole, sizes), blockEnd, choiceEnd, end])
        if (again === 'diverged') throw new Error('diverged')
        const rest = again.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
        expect(whole.slice(0, shownLength) + rest).toBe(whole)
        expect(again.slice(-3)).toEqual([blockEnd, choiceEnd, end])
      }),
      { numRuns: 2_000 },
    )
  })
})

/** The same text in pieces as long as these words. */
function cut(whole: string, sizes: readonly string[]): readonly ReplyEvent[] {
  const pieces: ReplyEvent[] = []
  let at = 0
  for (let turn = 0; at < whole.length; turn += 1) {
    const size = sizes[turn % sizes.length]?.length ?? 1
    pieces.push(text(whole.slice(at, at + size)))
    at += size
  }
  return pieces
}

describe('a relay of a second generation', () => {
  const frame = (delta: object, reason: string | null = null) =>
    Buffer.from(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`,
    )
  const relayOf = (transcript: ShownTranscript) =>
    createRecoverableRelay({
      reader: chatFormat.createStreamReader(),
      transcript,
      createdAtSeconds: 1,
      costOf: undefined,
    })
  const newTranscript = () => transcriptOf([])

  it('continues the caller’s stream down to the terminator', () => {
    const transcript = newTranscript()
    const first = relayOf(transcript)
    const shown = [
      ...first.push(frame({ role: 'assistant', content: 'Once ' })),
      ...first.push(frame({ content: 'upon' })),
    ]
    first.end()
    expect(first.failure?.code).toBe('upstream_disconnected')
    const second = relayOf(transcript)
    expect(second.push(frame({ role: 'assistant', content: 'Once upon' }))).toEqual([])
    expect(second.hasContent).toBe(false)
    const rest = [
      ...second.push(frame({ content: ' a time' })),
      ...second.push(frame({}, 'stop')),
      ...second.push(Buffer.from('data: [DONE]\n\n')),
    ]
    const all = [...shown, ...rest].join('')
    expect(contentOf(all)).toBe('Once upon a time')
    expect(all.match(/"role":"assistant"/g)).toHaveLength(1)
    expect(all.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(second.isComplete).toBe(true)
  })

  it('fails on different text, without showing any of it', () => {
    const transcript = newTranscript()
    relayOf(transcript).push(frame({ role: 'assistant', content: 'Once upon' }))
    const second = relayOf(transcript)
    expect(second.push(frame({ role: 'assistant', content: 'There was' })).join('')).toBe('')
    expect(second.failure?.code).toBe('answer_not_reproduced')
  })
})

function contentOf(stream: string): string {
  return [...stream.matchAll(/"content":"([^"]*)"/g)].map(([, words]) => words).join('')
}
