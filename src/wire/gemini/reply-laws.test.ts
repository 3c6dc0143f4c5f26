import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import {
  base64Arbitrary,
  jsonArbitrary,
  textArbitrary,
  urlArbitrary,
} from '../../../test/support/value-arbitraries.ts'
import type { AssistantBlock } from '../../canonical/content.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { Extras } from '../../canonical/format.ts'
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

const plain = { noNullPrototype: true } as const
const anyReply = replyArbitrary()
/** Signatures of other makers go with the part that follows them, so that the text returns without them. */
const carriedReply = replyArbitrary({
  without: [
    'usage-detail',
    'audio',
    'image',
    'custom-tool',
    'refusal',
    'logprobs',
    'citations',
    'thinking-signature',
    'redacted-thinking',
  ],
}).filter(isExpressible)

/** The time 0 means unknown, and no two calls of an answer share an ID. */
function isExpressible({ createdAtSeconds, choices }: Reply): boolean {
  const ids = choices.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : [])),
  )
  return createdAtSeconds !== 0 && new Set(ids).size === ids.length
}

const own = (fields: fc.Arbitrary<Extras['fields']>): fc.Arbitrary<Extras> =>
  fc.record({ format: fc.constant('gemini' as const), fields }, plain)
const notes = own(fc.record({ x_note: jsonArbitrary }, plain))

const proof: fc.Arbitrary<AssistantBlock> = fc.record(
  { type: fc.constant('redacted-thinking' as const), data: base64Arbitrary, extras: own(fc.constant({})) },
  plain,
)
const signedThought: fc.Arbitrary<AssistantBlock> = fc.record(
  {
    type: fc.constant('thinking' as const),
    text: textArbitrary,
    signature: base64Arbitrary,
    extras: own(fc.constant({})),
  },
  plain,
)
const ran: fc.Arbitrary<AssistantBlock> = fc.record(
  {
    type: fc.constant('opaque' as const),
    format: fc.constant('gemini' as const),
    value: fc.record(
      { executableCode: fc.record({ language: fc.constant('PYTHON'), code: textArbitrary }, plain) },
      plain,
    ),
    name: fc.constant('executableCode'),
  },
  plain,
)
const picture: fc.Arbitrary<AssistantBlock> = fc.record(
  {
    type: fc.constant('image' as const),
    source: fc.record(
      { type: fc.constant('base64' as const), mediaType: fc.constant('image/png'), data: base64Arbitrary },
      plain,
    ),
    extras: notes,
  },
  { requiredKeys: ['type', 'source'], ...plain },
)
const sound: fc.Arbitrary<AssistantBlock> = fc.record(
  {
    type: fc.constant('audio' as const),
    encoding: fc.constantFrom('wav', 'L16;codec=pcm;rate=24000'),
    data: base64Arbitrary,
  },
  plain,
)
const words: fc.Arbitrary<AssistantBlock> = fc.record(
  { type: fc.constant('text' as const), text: textArbitrary, extras: notes },
  { requiredKeys: ['type', 'text'], ...plain },
)
/** The last words, with their sources. */
const sourced: fc.Arbitrary<AssistantBlock> = fc
  .tuple(textArbitrary, fc.array(fc.tuple(urlArbitrary, textArbitrary), { minLength: 1, maxLength: 3 }))
  .map(([text, sources]) => ({
    type: 'text',
    text,
    citations: sources.map(([url, title]) => ({ url, title, startIndex: 0, endIndex: text.length })),
  }))

const ownContent = fc
  .tuple(
    fc.array(fc.oneof(proof, signedThought, ran, picture, sound, words), { maxLength: 4 }),
    fc.option(sourced, { nil: undefined }),
  )
  .map(([blocks, last]) => (last === undefined ? blocks : [...blocks, last]))
const ownReply = fc
  .tuple(
    replyArbitrary({ without: ['usage-detail', 'audio', 'logprobs', 'choices'], extrasAt: [] }),
    ownContent,
    fc.option(notes, { nil: undefined }),
  )
  .map(([reply, content, extras]): Reply => {
    const more = extras === undefined ? {} : { extras }
    return { ...reply, choices: [{ content, stopReason: 'end', ...more }], ...more }
  })
  .filter(isExpressible)

function overTheWire(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value))
}

function writeStream(events: readonly ReplyEvent[]) {
  const writer = createStreamWriter()
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
describe('law 1 for replies of the Gemini format', () => {
  it('gives back a whole reply of its own format', () => {
    fc.assert(
      fc.property(ownReply, (reply) => {
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
        const features: readonly LossFeature[] = losses.map(({ feature }) => feature)
        for (const feature of features) expect(possibleLosses).toContain(feature)
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('law 2 for the Gemini format', () => {
  it('streams a reply whose fold equals the reply', () => {
    fc.assert(
      fc.property(fc.oneof(ownReply, carriedReply), (reply) => {
        const { text, losses } = writeStream(unfoldReply(reply))
        fc.pre(losses.length === 0)
        expect(foldReply(readStream(Buffer.from(text), []))).toStrictEqual(reply)
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('reads the same from a stream as from the whole answer, whatever was lost', () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const streamed = foldReply(readStream(Buffer.from(writeStream(unfoldReply(reply)).text), []))
        expect(streamed).toStrictEqual(readReply(overTheWire(writeReply(reply).value)))
      }),
      { numRuns: LAW_RUNS },
    )
  })
})

describe('law 3 for the Gemini format', () => {
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

  const part = fc.record(
    {
      text: fc.oneof(fc.string(), jsonArbitrary),
      thought: fc.oneof(fc.boolean(), jsonArbitrary),
      thoughtSignature: fc.oneof(fc.string(), jsonArbitrary),
      functionCall: fc.oneof(
        fc.record(
          {
            name: fc.oneof(fc.constant('f'), jsonArbitrary),
            id: jsonArbitrary,
            args: jsonArbitrary,
            willContinue: fc.oneof(fc.boolean(), jsonArbitrary),
            partialArgs: fc.oneof(
              fc.array(
                fc.record(
                  {
                    jsonPath: fc.constantFrom(
                      '$.a',
                      '$.a[0]',
                      '$.a[0].b',
                      '$',
                      '$.__proto__.a',
                      'a',
                      "$['x y']",
                    ),
                    stringValue: fc.oneof(fc.string(), jsonArbitrary),
                    numberValue: jsonArbitrary,
                  },
                  { requiredKeys: [] },
                ),
              ),
              jsonArbitrary,
            ),
          },
          { requiredKeys: [] },
        ),
        jsonArbitrary,
      ),
      inlineData: fc.oneof(
        fc.record({ mimeType: fc.constantFrom('image/png', 'audio/wav', 'x/y'), data: fc.string() }),
        jsonArbitrary,
      ),
      executableCode: jsonArbitrary,
    },
    { requiredKeys: [] },
  )
  const candidate = fc.record(
    {
      content: fc.oneof(fc.record({ parts: fc.oneof(fc.array(part), jsonArbitrary) }), jsonArbitrary),
      finishReason: fc.oneof(
        fc.constantFrom('STOP', 'MAX_TOKENS', 'SAFETY', 'MALFORMED_FUNCTION_CALL', 1, 'NEW'),
        jsonArbitrary,
      ),
      index: fc.oneof(fc.nat(2), jsonArbitrary),
      groundingMetadata: fc.oneof(
        fc.record({
          groundingChunks: fc.array(fc.oneof(fc.record({ web: jsonArbitrary }), jsonArbitrary)),
          groundingSupports: fc.array(
            fc.oneof(
              fc.record({
                segment: fc.oneof(
                  fc.record({ startIndex: fc.nat(9), endIndex: fc.nat(9), text: fc.string() }),
                  jsonArbitrary,
                ),
                groundingChunkIndices: fc.array(fc.oneof(fc.nat(2), jsonArbitrary)),
              }),
              jsonArbitrary,
            ),
          ),
        }),
        jsonArbitrary,
      ),
      citationMetadata: jsonArbitrary,
      logprobsResult: fc.oneof(fc.record({ chosenCandidates: fc.array(jsonArbitrary) }), jsonArbitrary),
    },
    { requiredKeys: [] },
  )
  const chunk = fc.record(
    {
      candidates: fc.oneof(fc.array(candidate, { maxLength: 2 }), jsonArbitrary),
      usageMetadata: fc.oneof(
        fc.record({ promptTokenCount: jsonArbitrary, totalTokenCount: jsonArbitrary }),
        jsonArbitrary,
      ),
      promptFeedback: fc.oneof(fc.constant({ blockReason: 'SAFETY' }), jsonArbitrary),
      createTime: jsonArbitrary,
      error: fc.oneof({ weight: 1, arbitrary: jsonArbitrary }, { weight: 9, arbitrary: fc.constant(null) }),
    },
    { requiredKeys: [] },
  )

  it('never throws, whatever the chunks hold, and ends every stream', () => {
    const data = fc.oneof(
      { weight: 4, arbitrary: chunk.map((value) => JSON.stringify(value)) },
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
      fc.property(fc.oneof(jsonArbitrary, chunk, fc.array(chunk, { maxLength: 3 })), (value) => {
        const given = overTheWire(value)
        expect(readReply(given)).toBeTypeOf('object')
        expect(watchReply(given)).toBeTypeOf('object')
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
