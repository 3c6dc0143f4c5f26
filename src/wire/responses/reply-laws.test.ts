import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary } from '../../../test/support/value-arbitraries.ts'
import type { AssistantBlock } from '../../canonical/content.ts'
import type { Failure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { LossFeature } from '../../canonical/loss.ts'
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
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** The features that the format loses in answers so often that hardly one would be left. */
const lost: readonly LossFeature[] = [
  'usage-detail',
  'audio',
  'image',
  'choices',
  'foreign-block',
  'logprobs',
]
const ownReply = replyArbitrary({
  format: 'responses',
  without: ['audio', 'usage-detail', 'choices', 'redacted-thinking'],
  extrasAt: ['reply', 'block'],
}).filter(isExpressible)

const anyReply = fc.oneof(replyArbitrary({ format: 'responses' }), replyArbitrary())
/** Signatures of other providers come back packed. */
const carriedReply = replyArbitrary({
  without: [...lost, 'citations', 'thinking-signature', 'redacted-thinking'],
}).filter(isExpressible)

/** The format requires a time, and an answer without any item is empty. */
function isExpressible({ createdAtSeconds, choices }: Reply): boolean {
  return createdAtSeconds !== 0 && choices.every(({ content }) => content.length > 0)
}

/** Items of reasoning always have an ID, and empty content reads as absent. */
function plainly(reply: Reply | Failure): unknown {
  if (!('choices' in reply)) return reply
  const choices = reply.choices.map((choice) => ({ ...choice, content: choice.content.map(plainBlock) }))
  return { ...reply, choices }
}

function plainBlock(block: AssistantBlock): AssistantBlock {
  if (block.type !== 'thinking' || block.extras?.format !== 'responses') return block
  const { id: _id, ...fields } = block.extras.fields
  const { extras, ...others } = block
  return Object.keys(fields).length === 0 ? others : { ...others, extras: { ...extras, fields } }
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

// `fc.pre` does not count a case with a declared loss, so that each law holds for as many cases as it says.
describe('law 1 for replies of the responses format', () => {
  it('gives back a whole reply of its own format', () => {
    fc.assert(
      fc.property(ownReply, (reply) => {
        const { value, losses } = writeReply(reply)
        fc.pre(losses.length === 0)
        expect(plainly(readReply(overTheWire(value)))).toStrictEqual(plainly(reply))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('gives back replies of other formats, too, when no loss is declared', () => {
    fc.assert(
      fc.property(carriedReply, (reply) => {
        const { value, losses } = writeReply(reply)
        fc.pre(losses.length === 0)
        expect(plainly(readReply(overTheWire(value)))).toStrictEqual(plainly(reply))
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

describe('law 2 for the responses format', () => {
  it('streams a reply whose fold equals the reply', () => {
    fc.assert(
      fc.property(fc.oneof(ownReply, carriedReply), (reply) => {
        const { text, losses } = writeStream(unfoldReply(reply))
        fc.pre(losses.length === 0)
        expect(plainly(foldReply(readStream(Buffer.from(text), [])))).toStrictEqual(plainly(reply))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('ends a stream with the content of the whole answer', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const { text } = writeStream(unfoldReply(reply))
        const line = text.split('\n').findLast((each) => each.startsWith('data: '))
        const last: unknown = JSON.parse(line?.slice('data: '.length) ?? '')
        const { value } = writeReply(reply)
        expect(last).toMatchObject({ response: overTheWire(value) })
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('law 3 for the responses format', () => {
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

  it('never throws, whatever the events hold, and ends every stream', () => {
    const names = [
      'created',
      'output_item.added',
      'output_item.done',
      'content_part.added',
      'output_text.delta',
      'output_text.annotation.added',
      'refusal.delta',
      'function_call_arguments.delta',
      'reasoning_summary_text.delta',
      'completed',
      'failed',
    ]
    const item = fc.record(
      {
        type: fc.constantFrom('message', 'reasoning', 'function_call', 'custom_tool_call', 'x_call'),
        id: jsonArbitrary,
        call_id: fc.oneof(fc.constant('c1'), jsonArbitrary),
        name: fc.oneof(fc.constant('f'), jsonArbitrary),
        arguments: fc.oneof(fc.constant('{}'), jsonArbitrary),
        summary: jsonArbitrary,
        content: fc.oneof(
          fc.array(fc.record({ type: fc.constant('output_text'), text: jsonArbitrary })),
          jsonArbitrary,
        ),
      },
      { requiredKeys: [] },
    )
    const event = fc.record(
      {
        type: fc.oneof(
          fc.constantFrom(...names).map((name) => `response.${name}`),
          jsonArbitrary,
        ),
        output_index: fc.oneof(fc.nat(2), jsonArbitrary),
        content_index: fc.oneof(fc.nat(2), jsonArbitrary),
        item: fc.oneof(item, jsonArbitrary),
        part: jsonArbitrary,
        delta: fc.oneof(fc.string(), jsonArbitrary),
        annotation: jsonArbitrary,
        response: fc.oneof(fc.record({ output: fc.array(item), usage: jsonArbitrary }), jsonArbitrary),
      },
      { requiredKeys: [] },
    )
    const data = fc.oneof(
      event.map((value) => JSON.stringify(value)),
      jsonArbitrary.map((value) => JSON.stringify(value)),
      fc.constantFrom('[DONE]', '{', '', '{"error":null}', '{"error":{}}'),
    )
    fc.assert(
      fc.property(fc.array(data, { maxLength: 8 }), (frames) => {
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
      fc.property(fc.oneof(jsonArbitrary, fc.record({ output: fc.array(jsonArbitrary) })), (value) => {
        expect(readReply(value)).toBeTypeOf('object')
        expect(watchReply(value)).toBeTypeOf('object')
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
