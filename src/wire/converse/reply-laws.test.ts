import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary, textArbitrary, wordArbitrary } from '../../../test/support/value-arbitraries.ts'
import { writeEvent } from '../../../test/support/write-event-stream.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { ReplyEvent } from '../../canonical/reply-event.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createEventStreamFrames } from './event-stream-frames.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'

/** One block of an answer, in its whole and in its streamed form. */
interface Block {
  readonly whole: JsonObject
  readonly start?: JsonObject
  readonly deltas: readonly JsonObject[]
}

const pieces = fc.array(textArbitrary, { minLength: 1, maxLength: 3 })
const textBlock = pieces.map(
  (texts): Block => ({
    whole: { text: texts.join('') },
    deltas: texts.map((text) => ({ text })),
  }),
)
const thinkingBlock = fc.tuple(pieces, wordArbitrary).map(
  ([texts, signature]): Block => ({
    whole: { reasoningContent: { reasoningText: { text: texts.join(''), signature } } },
    deltas: [...texts.map((text) => ({ reasoningContent: { text } })), { reasoningContent: { signature } }],
  }),
)
const bytesArbitrary = fc.array(fc.uint8Array({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 })
const redactedBlock = bytesArbitrary.map(
  (parts): Block => ({
    whole: { reasoningContent: { redactedContent: Buffer.concat(parts).toString('base64') } },
    deltas: parts.map((bytes) => ({
      reasoningContent: { redactedContent: Buffer.from(bytes).toString('base64') },
    })),
  }),
)
const inputArbitrary = fc.dictionary(wordArbitrary, fc.integer(), { maxKeys: 2, noNullPrototype: true })
const callOf = (type: string | undefined) =>
  fc.tuple(wordArbitrary, inputArbitrary, fc.nat()).map(([name, input, cut]): Block => {
    const text = JSON.stringify(input)
    const at = cut % (text.length + 1)
    const start = { toolUseId: `id_${name}`, name, ...(type === undefined ? {} : { type }) }
    return {
      whole: { toolUse: { ...start, input } },
      start: { toolUse: start },
      deltas: [text.slice(0, at), text.slice(at)].map((part) => ({ toolUse: { input: part } })),
    }
  })
const citedBlock = fc.tuple(wordArbitrary, textArbitrary).map(([word, title]): Block => {
  const location = { documentPage: { documentIndex: 0, start: 1, end: 2 } }
  const citation = { title, sourceContent: [{ text: word }], location }
  return {
    whole: { citationsContent: { content: [{ text: word }], citations: [citation] } },
    deltas: [{ text: word }, { citation }],
  }
})

const resultBlock = wordArbitrary.map((text): Block => {
  const start = { toolUseId: 'id', type: 'nova_result', status: 'success' }
  return {
    whole: { toolResult: { ...start, content: [{ text }] } },
    start: { toolResult: start },
    deltas: [{ toolResult: [{ text }] }],
  }
})

const answerArbitrary = fc.record({
  blocks: fc.array(
    fc.oneof(
      textBlock,
      thinkingBlock,
      redactedBlock,
      callOf(undefined),
      callOf('server_tool_use'),
      citedBlock,
      resultBlock,
    ),
    { minLength: 1, maxLength: 4 },
  ),
  stopReason: fc.constantFrom(
    'end_turn',
    'tool_use',
    'max_tokens',
    'guardrail_intervened',
    'content_filtered',
    'new_word',
  ),
  usage: fc.record({
    inputTokens: fc.nat(99),
    outputTokens: fc.nat(99),
    cacheReadInputTokens: fc.nat(99),
    cacheWriteInputTokens: fc.nat(99),
  }),
  additionalModelResponseFields: fc.option(fc.constant({ stop_sequence: '!', more: 1 }), { nil: undefined }),
})

type Answer = typeof answerArbitrary extends fc.Arbitrary<infer Value> ? Value : never

function wholeOf({ blocks, stopReason, usage, additionalModelResponseFields }: Answer): JsonObject {
  const content = blocks.map(({ whole }) => whole)
  const more = additionalModelResponseFields === undefined ? {} : { additionalModelResponseFields }
  return {
    output: { message: { role: 'assistant', content } },
    stopReason,
    usage,
    metrics: { latencyMs: 1 },
    ...more,
  }
}

function streamOf({ blocks, stopReason, usage, additionalModelResponseFields }: Answer): Buffer {
  const told = blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
    ...(start === undefined ? [] : [writeEvent('contentBlockStart', { contentBlockIndex, start })]),
    ...deltas.map((delta) => writeEvent('contentBlockDelta', { contentBlockIndex, delta, p: 'abc' })),
    writeEvent('contentBlockStop', { contentBlockIndex }),
  ])
  return Buffer.concat([
    writeEvent('messageStart', { role: 'assistant' }),
    ...told,
    writeEvent('messageStop', { stopReason, additionalModelResponseFields }),
    writeEvent('metadata', { usage, metrics: { latencyMs: 1 } }),
  ])
}

function readStream(bytes: Buffer, cuts: readonly number[] = []): readonly ReplyEvent[] {
  const parser = createEventStreamFrames(1_000_000)
  const reader = createStreamReader()
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const events = places.flatMap((from, index) =>
    parser
      .push(bytes.subarray(from, places[index + 1] ?? bytes.length))
      .flatMap((frame) => reader.push(frame)),
  )
  return [...events, ...reader.end()]
}

describe('law 2 for Converse', () => {
  it('gives the same answer, streamed and whole', () => {
    fc.assert(
      fc.property(answerArbitrary, (answer) => {
        expect(foldReply(readStream(streamOf(answer)))).toStrictEqual(readReply(wholeOf(answer)))
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('law 3 for Converse', () => {
  it('reads the same events from any split of the bytes', () => {
    fc.assert(
      fc.property(answerArbitrary, fc.array(fc.nat()), (answer, cuts) => {
        const bytes = streamOf(answer)
        expect(readStream(bytes, cuts)).toStrictEqual(readStream(bytes))
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('gives a failure for a stream that ends before its stop', () => {
    fc.assert(
      fc.property(answerArbitrary, fc.nat(), (answer, path) => {
        const bytes = streamOf(answer)
        const stop = bytes.lastIndexOf(':event-type\x07\x00\x0bmessageStop')
        const events = readStream(bytes.subarray(0, path % stop))
        expect(events.at(-1)?.type).toBe('failure')
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('never throws on JSON of any kind, and retains the order of events', () => {
    const type = fc.constantFrom(
      'messageStart',
      'contentBlockStart',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
      'new',
    )
    const part = fc.oneof(
      jsonArbitrary,
      fc.record({ text: jsonArbitrary, toolUse: jsonArbitrary }, { requiredKeys: [] }),
      fc.constantFrom(
        { toolUse: { toolUseId: 'a', name: 'b' } },
        { toolUse: { input: '{' } },
        { toolResult: [{ text: 'x' }] },
        { reasoningContent: { text: 'a' } },
        { reasoningContent: { redactedContent: 'a' } },
        { citation: {} },
      ),
    )
    const payload = fc.record(
      {
        contentBlockIndex: fc.oneof(fc.nat(2), jsonArbitrary),
        start: part,
        delta: part,
        stopReason: jsonArbitrary,
        usage: jsonArbitrary,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(type, fc.oneof(payload, jsonArbitrary)), { maxLength: 8 }), (events) => {
        const told = readStream(Buffer.concat(events.map(([name, value]) => writeEvent(name, value))))
        expect(['reply-end', 'failure']).toContain(told.at(-1)?.type)
        const folded = foldReply(told)
        if ('code' in folded) expect(folded.code).not.toBe('internal_error')
      }),
      { numRuns: LAW_RUNS },
    )
    fc.assert(
      fc.property(jsonArbitrary, part, (value, block) => {
        readReply(value)
        readReply({
          output: { message: { content: [JSON.parse(JSON.stringify(block))] } },
          stopReason: 'end_turn',
        })
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
