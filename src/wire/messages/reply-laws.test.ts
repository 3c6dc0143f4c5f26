import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import type { Failure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { possibleLosses } from './request/possible-losses.ts'

const messagesReply = replyArbitrary({
  format: 'messages',
  extrasAt: ['reply', 'block'],
})

/** The format does not say when an answer was made. */
function undated({ createdAtSeconds: _when, ...reply }: Reply): Reply {
  return reply
}

function overTheWire(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value))
}

function writeStream(events: readonly ReplyEvent[]) {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'r1' })
  const text = events.map((event) => writer.push(event)).join('')
  return { text, losses: writer.losses }
}

/** Reads a stream whose bytes arrive cut at these places. */
function readStream(bytes: Buffer, cuts: readonly number[]): readonly ReplyEvent[] {
  const parser = createSseParser()
  const reader = createStreamReader()
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const events: ReplyEvent[] = []
  for (const [index, from] of places.entries()) {
    for (const frame of parser.push(bytes.subarray(from, places[index + 1] ?? bytes.length))) {
      events.push(...reader.push(frame))
    }
  }
  const last = parser.end()
  if (last !== undefined) events.push(...reader.push(last))
  return [...events, ...reader.end()]
}

function readWhole(text: string): Reply | Failure {
  return foldReply(readStream(Buffer.from(text), []))
}

describe('law 1 for replies of the messages format', () => {
  it('gives back every whole reply that it writes without a loss', () => {
    let carried = 0
    fc.assert(
      fc.property(fc.oneof(messagesReply, replyArbitrary()), (reply) => {
        const { value, losses } = writeReply(reply)
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        const again = readReply(overTheWire(value))
        if ('code' in again) expect([again.code, losses.length > 0]).toEqual(['upstream_empty', true])
        if (losses.length > 0) return
        carried += 1
        expect(again).toStrictEqual(undated(reply))
      }),
      { numRuns: LAW_RUNS },
    )
    // Some 345 of 2,000, give or take 18.
    expect(carried).toBeGreaterThan(LAW_RUNS * 0.08)
  })

  it('gives back every reply that it streams without a loss', () => {
    let carried = 0
    fc.assert(
      fc.property(fc.oneof(messagesReply, replyArbitrary()), (reply) => {
        const { text, losses } = writeStream(unfoldReply(reply))
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        const again = readWhole(text)
        if ('code' in again) expect([again.code, losses.length > 0]).toEqual(['upstream_empty', true])
        if (losses.length > 0) return
        carried += 1
        expect(again).toStrictEqual(undated(reply))
      }),
      { numRuns: LAW_RUNS },
    )
    // Some 345 of 2,000, give or take 18.
    expect(carried).toBeGreaterThan(LAW_RUNS * 0.08)
  })
})

describe('law 2 for the messages format', () => {
  it('gives the same answer with the same losses, streamed and whole', () => {
    fc.assert(
      fc.property(fc.oneof(messagesReply, replyArbitrary()), (reply) => {
        const stream = writeStream(unfoldReply(reply))
        const whole = writeReply(reply)
        expect(readWhole(stream.text)).toStrictEqual(readReply(overTheWire(whole.value)))
        const sorted = (losses: readonly unknown[]) => losses.map((loss) => JSON.stringify(loss)).sort()
        expect(sorted(stream.losses)).toEqual(sorted(whole.losses))
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('law 3 for the messages format', () => {
  it('reads the same events from any split of the bytes', () => {
    fc.assert(
      fc.property(replyArbitrary(), fc.array(fc.nat(), { maxLength: 12 }), (reply, cuts) => {
        const bytes = Buffer.from(writeStream(unfoldReply(reply)).text)
        expect(readStream(bytes, cuts)).toStrictEqual(readStream(bytes, []))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('never throws on JSON of any kind', () => {
    const kinds = ['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop']
    const type = fc.constantFrom(...kinds, 'message_delta', 'message_stop', 'error', 'ping', 'new_kind')
    const blockKind = fc.constantFrom(
      'text',
      'tool_use',
      'thinking',
      'redacted_thinking',
      'image',
      'new_kind',
    )
    const part = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: blockKind, text: fc.jsonValue(), input: fc.jsonValue(), id: fc.string() }),
      fc.record({
        type: fc.constantFrom('text_delta', 'input_json_delta', 'citations_delta', 'signature_delta'),
        text: fc.jsonValue(),
        partial_json: fc.jsonValue(),
        citation: fc.jsonValue(),
      }),
    )
    const index = fc.oneof(fc.nat(2), fc.jsonValue())
    const frame = fc.record(
      { type, index, content_block: part, delta: part, message: fc.jsonValue(), usage: fc.jsonValue() },
      { requiredKeys: ['type'] },
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(frame, fc.jsonValue()), { maxLength: 8 }), (frames) => {
        const started = [{ type: 'message_start', message: {} }, ...frames]
        const text = started.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')
        const events = readStream(Buffer.from(text), [])
        expect(['reply-end', 'failure']).toContain(events.at(-1)?.type)
        // The events of the reader keep the order that the fold demands.
        const folded = foldReply(events)
        if ('code' in folded) expect(folded.code).not.toBe('internal_error')
      }),
      { numRuns: LAW_RUNS },
    )
    fc.assert(
      fc.property(fc.jsonValue(), part, (value, block) => {
        readReply(overTheWire(value))
        readReply(overTheWire({ content: [block] }))
      }),
    )
  })
})
