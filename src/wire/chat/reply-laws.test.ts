import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary } from '../../../test/support/value-arbitraries.ts'
import type { Failure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import type { AnswerForm } from '../answer-form.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** The losses of the format in answers, except order, which the stream keeps. */
const lost: readonly LossFeature[] = ['foreign-block', 'stop-reason', 'block-order']
const chatReply = replyArbitrary({
  format: 'chat',
  without: lost,
  extrasAt: ['reply', 'choice', 'citation'],
}).filter(isDated)

const anyReply = fc.oneof(replyArbitrary({ format: 'chat' }), replyArbitrary()).filter(isDated)
/** A reply of any format, without what is lost so often that hardly a reply would be left. */
const carriedReply = replyArbitrary({ without: [...lost, 'usage-detail', 'citations'] }).filter(isDated)

/** The format requires a time: 0 means unknown. */
function isDated(reply: Reply): boolean {
  return reply.createdAtSeconds !== 0
}

function overTheWire(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value))
}

function writeStream(events: readonly ReplyEvent[], form: AnswerForm = {}) {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'r1', ...form })
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

// `fc.pre` does not count a case with a declared loss, so that each law holds for as many cases as it says.
describe('law 1 for replies of the chat format', () => {
  it('gives back a whole reply of its own format', () => {
    fc.assert(
      fc.property(chatReply, (reply) => {
        const { value, losses } = writeReply(reply)
        fc.pre(losses.length === 0)
        expect(readReply(overTheWire(value))).toStrictEqual(reply)
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('gives back replies of other formats, too, when no loss is declared', () => {
    fc.assert(
      fc.property(carriedReply, (reply) => {
        const { value, losses } = writeReply(reply)
        fc.pre(losses.length === 0)
        expect(readReply(overTheWire(value))).toStrictEqual(reply)
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('names every loss of any reply, whole or streamed', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const losses = [...writeReply(reply).losses, ...writeStream(unfoldReply(reply)).losses]
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('law 2 for the chat format', () => {
  it('streams a reply whose fold equals the reply', () => {
    fc.assert(
      fc.property(fc.oneof(chatReply, carriedReply), (reply) => {
        const { text, losses } = writeStream(unfoldReply(reply))
        fc.pre(losses.length === 0)
        expect(readWhole(text)).toStrictEqual(reply)
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('streams a reply with one function_call whose fold equals the whole reply', () => {
    fc.assert(
      fc.property(fc.oneof(chatReply, carriedReply), (reply) => {
        const form = { legacyCalls: true }
        const whole = writeReply(reply, form)
        const streamed = writeStream(unfoldReply(reply), form)
        expect(new Set(streamed.losses)).toEqual(new Set(whole.losses))
        fc.pre(whole.losses.every(({ feature }) => feature === 'parallel-tool-calls'))
        expect(readWhole(streamed.text)).toStrictEqual(readReply(overTheWire(whole.value)))
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('law 3 for the chat format', () => {
  it('reads the same events from any split of the bytes', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 12 })
    fc.assert(
      fc.property(anyReply, cuts, fc.constantFrom('\n', '\r\n', '\r'), (reply, places, lineEnd) => {
        const bytes = Buffer.from(writeStream(unfoldReply(reply)).text.replaceAll('\n', lineEnd))
        expect(readStream(bytes, places)).toStrictEqual(readStream(bytes, []))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('never throws, whatever the chunks hold, and ends every stream', () => {
    const delta = fc.record(
      {
        content: jsonArbitrary,
        reasoning: jsonArbitrary,
        reasoning_details: jsonArbitrary,
        tool_calls: fc.oneof(
          jsonArbitrary,
          fc.array(fc.record({ index: jsonArbitrary, function: jsonArbitrary })),
        ),
        function_call: jsonArbitrary,
        audio: jsonArbitrary,
        annotations: jsonArbitrary,
        images: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    const choice = fc.record(
      {
        index: fc.oneof(fc.nat(3), jsonArbitrary),
        delta: fc.oneof(delta, jsonArbitrary),
        finish_reason: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    const chunk = fc.record(
      {
        id: jsonArbitrary,
        choices: fc.oneof(fc.array(choice, { maxLength: 2 }), jsonArbitrary),
        usage: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    const data = fc.oneof(
      chunk.map((value) => JSON.stringify(value)),
      jsonArbitrary.map((value) => JSON.stringify(value)),
      fc.constantFrom('[DONE]', '{', '', '{"error":null}', '{"error":{}}'),
    )
    fc.assert(
      fc.property(fc.array(data, { maxLength: 6 }), (frames) => {
        const text = frames.map((frame) => `data: ${frame}\n\n`).join('')
        const events = readStream(Buffer.from(text), [])
        expect(['reply-end', 'failure']).toContain(events.at(-1)?.type)
        const folded = foldReply(events)
        if ('code' in folded) expect(folded.code).not.toBe('internal_error')
        const watcher = createStreamWatcher()
        for (const frame of createSseParser().push(Buffer.from(text))) watcher.inspect(frame)
        expect(watcher.usage?.isEstimated ?? false).toBeTypeOf('boolean')
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('reads any value as a reply or a failure, and watches it', () => {
    fc.assert(
      fc.property(fc.oneof(jsonArbitrary, fc.record({ choices: fc.array(jsonArbitrary) })), (value) => {
        expect(readReply(value)).toBeTypeOf('object')
        expect(watchReply(value)).toBeTypeOf('object')
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
