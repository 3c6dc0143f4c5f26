import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequestArbitrary, replyArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { readConverseRequest } from '../../../test/support/read-converse-request.ts'
import { createFailure } from '../../canonical/failure.ts'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { encodeEventStreamFrame } from '../../kit/sse/event-stream-encoder.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { type Dialect, defaultDialect } from '../dialect.ts'
import { createEventStreamFrames } from './event-stream-frames.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { answerLosses } from './request/caller-losses.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'

const dialect: Dialect = {
  ...defaultDialect,
  cacheMarks: true,
  converseModel: { reasoning: 'thinking', topK: 'top_k', searchResults: true },
}

function overTheWire(value: object): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  if (isJsonObject(parsed)) return parsed
  throw new Error('not an object')
}

/** The features that some requests lose: each group by itself, or hardly a request would be left. */
const groups: Readonly<Record<string, readonly LossFeature[]>> = {
  words: [],
  'pictures and files': ['audio', 'document', 'image', 'search-result', 'tool-result-content', 'video'],
  thinking: ['thinking', 'redacted-thinking', 'thinking-mode', 'reasoning-budget', 'reasoning-effort'],
  'cache marks': ['cache-mark'],
  schemas: ['json-output', 'tool-strict', 'tool-choice'],
  sampling: ['sampling', 'top-k', 'stop-sequences', 'max-output-tokens', 'service-tier'],
}

describe.each(Object.entries(groups))('requests of callers of Converse with %s', (_name, group) => {
  const without = [...possibleLosses.filter((feature) => !group.includes(feature)), 'block-order' as const]

  it('are read like an independent reader reads them, and written again unchanged', () => {
    let count = 0
    fc.assert(
      fc.property(chatRequestArbitrary({ without }), (request) => {
        // A mark on the last block that has one already is a second point behind the first.
        fc.pre(request.cache === undefined)
        const { value, losses } = writeRequest(request, { model: 'm', dialect })
        if (losses.length > 0) return
        count += 1
        const body = overTheWire(value)
        const read = readRequest({ ...body, model: '', stream: false })
        expect(overTheWire(read)).toEqual(overTheWire(readConverseRequest(body)))
        expect(overTheWire(writeRequest(read, { model: 'm', dialect }).value)).toEqual(body)
      }),
      { numRuns: LAW_RUNS },
    )
    expect(count).toBeGreaterThan(LAW_RUNS * 0.03)
  })
})

/** A stream as its caller gets it: binary, and read as the provider's own streams are read. */
function stream(reply: Reply) {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'r' })
  const text = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  const bytes = Buffer.concat(createSseParser().push(Buffer.from(text)).map(encodeEventStreamFrame))
  const frames = createEventStreamFrames(1_000_000).push(bytes)
  const reader = createStreamReader()
  const events = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end()]
  return { frames, events, losses: writer.losses }
}

describe('answers to callers of Converse', () => {
  it('are the same as a stream and as a whole, and lose only what is declared', () => {
    fc.assert(
      fc.property(replyArbitrary(), (reply) => {
        const whole = writeReply(reply)
        const streamed = stream(reply)
        for (const { feature } of [...whole.losses, ...streamed.losses])
          expect(answerLosses).toContain(feature)
        const read = readReply(overTheWire(whole.value))
        // A broken input is an answer's failure, which the pipeline finds by its loss.
        fc.pre(!whole.losses.some(({ feature }) => feature === 'tool-input'))
        if ('choices' in read) expect(foldReply(streamed.events)).toEqual(read)
        else expect(read).toMatchObject({ code: 'upstream_empty' })
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('have consecutive blocks without a gap', () => {
    fc.assert(
      fc.property(replyArbitrary(), (reply) => {
        let open = -1
        let next = 0
        for (const { event, data } of stream(reply).frames) {
          const index: unknown = JSON.parse(data ?? '{}').contentBlockIndex
          if (typeof index !== 'number') continue
          if (index !== open) {
            expect(index).toBe(next)
            next += 1
          }
          open = event === 'contentBlockStop' ? -1 : index
        }
        expect(open).toBe(-1)
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('end as filtered where a chat model refuses in words, which are ordinary text here', () => {
    const reply: Reply = {
      id: 'r',
      model: 'm',
      choices: [{ content: [{ type: 'refusal', text: 'No.' }], stopReason: 'end' }],
    }
    const whole = writeReply(reply)
    expect(whole.value).toMatchObject({ stopReason: 'content_filtered' })
    expect(whole.losses).toContainEqual({ feature: 'stop-reason', kind: 'approximated' })
    const { events } = stream(reply)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'choice-end', stopReason: 'content-filter' }),
    )
  })

  it('end in an exception when a stream fails, and nothing follows', () => {
    const writer = createStreamWriter({ streamUsage: true, requestId: 'r' })
    writer.push({ type: 'reply-start', id: 'r', model: 'm' })
    const text = writer.push({ type: 'failure', failure: createFailure('upstream_disconnected') })
    expect(writer.push({ type: 'reply-end' })).toBe('')
    const frames = createEventStreamFrames(1_000_000)
    frames.push(Buffer.concat(createSseParser().push(Buffer.from(text)).map(encodeEventStreamFrame)))
    expect(frames.failure).toMatchObject({ upstream: { type: 'modelStreamErrorException' } })
  })
})
