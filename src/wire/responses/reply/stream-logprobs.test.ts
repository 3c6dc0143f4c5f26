import { describe, expect, it } from 'vitest'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { createSseParser } from '../../../kit/sse/sse-parser.ts'
import { createStreamWriter } from './stream-writer.ts'

const hello = { token: 'Hello', logprob: -0.5, bytes: null, top_logprobs: [] }
const stop = { token: '.', logprob: -1, bytes: null, top_logprobs: [] }

/** An answer of two texts with the log probabilities of their tokens, each behind its text as chat servers send them. */
function eventsOf(...texts: readonly (typeof hello)[][]): readonly ReplyEvent[] {
  return [
    { type: 'reply-start', id: 'r', model: 'm' },
    ...texts.flatMap((entries, block): readonly ReplyEvent[] => [
      { type: 'block-start', choice: 0, block, start: { type: 'text' } },
      ...entries.flatMap((entry): readonly ReplyEvent[] => [
        { type: 'text-delta', choice: 0, block, text: entry.token },
        { type: 'logprobs-delta', choice: 0, logprobs: { content: [entry] } },
      ]),
      { type: 'block-end', choice: 0, block },
    ]),
    { type: 'choice-end', choice: 0, stopReason: 'end' },
    { type: 'reply-end' },
  ]
}

function write(events: readonly ReplyEvent[]) {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'q' })
  const text = events.map((event) => writer.push(event)).join('')
  const frames = createSseParser().push(Buffer.from(text))
  return frames.map(({ data = '' }) => JSON.parse(data))
}

describe('the log probabilities of a streamed answer', () => {
  it('are in the deltas of its text, and in each event that repeats the text', () => {
    const events = write(eventsOf([hello, stop]))
    const ofType = (type: string) => events.filter((event) => event.type === `response.${type}`)
    const deltas = ofType('output_text.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe('Hello.')
    expect(deltas.flatMap(({ logprobs }) => logprobs)).toEqual([hello, stop])
    expect(ofType('output_text.done')[0].logprobs).toEqual([hello, stop])
    expect(ofType('content_part.done')[0].part.logprobs).toEqual([hello, stop])
    expect(ofType('output_item.done')[0].item.content[0].logprobs).toEqual([hello, stop])
    const [{ response }] = ofType('completed')
    expect(response.output[0]).toEqual(ofType('output_item.done')[0].item)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, index) => index))
  })

  it('stay with the text of their tokens where an answer has several', () => {
    const { response } = write(eventsOf([hello], [stop])).at(-1)
    const lists = response.output.map(
      ({ content }: { content: { logprobs: unknown }[] }) => content[0]?.logprobs,
    )
    expect(lists).toEqual([[hello], [stop]])
  })

  it('are in the first text where no text is open any more', () => {
    const events: readonly ReplyEvent[] = [
      { type: 'reply-start', id: 'r', model: 'm' },
      { type: 'block-start', choice: 0, block: 0, start: { type: 'text' } },
      { type: 'text-delta', choice: 0, block: 0, text: 'Hello' },
      { type: 'block-end', choice: 0, block: 0 },
      { type: 'block-start', choice: 0, block: 1, start: { type: 'refusal' } },
      { type: 'block-end', choice: 0, block: 1 },
      { type: 'logprobs-delta', choice: 0, logprobs: { content: [hello] } },
      { type: 'choice-end', choice: 0, stopReason: 'end' },
      { type: 'reply-end' },
    ]
    expect(write(events).at(-1).response.output[0].content[0].logprobs).toEqual([hello])
  })
})
