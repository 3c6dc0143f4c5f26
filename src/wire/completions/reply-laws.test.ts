import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replyArbitrary, usageArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { jsonArbitrary, textArbitrary, wordArbitrary } from '../../../test/support/value-arbitraries.ts'
import type { Extras } from '../../canonical/format.ts'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

const plain = { noNullPrototype: true } as const
const extras = fc
  .dictionary(fc.constantFrom('x_note', 'x_flag'), jsonArbitrary, { minKeys: 1, ...plain })
  .map((fields): Extras => ({ format: 'completions', fields }))
const likelihood = fc.integer({ min: -9, max: 0 })
const alternative = fc.record({ token: textArbitrary, logprob: likelihood }, plain)
const logprobs = fc
  .array(
    fc.record(
      {
        token: textArbitrary,
        logprob: likelihood,
        top_logprobs: fc.option(
          // Names that are numbers come first in every object.
          fc
            .uniqueArray(alternative, { selector: ({ token }) => token, maxLength: 2 })
            .filter((list) => list.every(({ token }) => !/^\d+$/.test(token))),
        ),
        text_offset: fc.nat(99),
      },
      plain,
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((content) => ({ content }))
const ownReply: fc.Arbitrary<Reply> = fc.record(
  {
    id: wordArbitrary,
    model: wordArbitrary,
    createdAtSeconds: fc.integer({ min: 1, max: 2_000_000_000 }),
    choices: fc.array(
      fc.record(
        {
          content: fc
            .option(textArbitrary.filter((text) => text !== ''))
            .map((text) => (text === null ? [] : [{ type: 'text' as const, text }])),
          stopReason: fc.constantFrom('end' as const, 'length' as const, 'content-filter' as const),
          logprobs,
          extras,
        },
        { requiredKeys: ['content', 'stopReason'], ...plain },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    usage: usageArbitrary({ format: 'chat' }),
    extras,
  },
  { requiredKeys: ['id', 'model', 'createdAtSeconds', 'choices'], ...plain },
)

function overTheWire(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value))
}

function writeStream(reply: Reply) {
  const writer = createStreamWriter({ streamUsage: true, requestId: 'r1' })
  const text = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  return { text, losses: writer.losses }
}

/** The chunks of a stream added up to the whole answer, as any client would. */
function addUp(text: string): JsonObject {
  const chunks = createSseParser()
    .push(Buffer.from(text))
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => fieldsOf(JSON.parse(data ?? 'null')))
  const choices: JsonObject[] = []
  for (const chunk of chunks) {
    for (const piece of listOf(chunk['choices']).map(fieldsOf)) {
      const index = Number(piece['index'])
      choices[index] = addPiece(choices[index] ?? {}, piece)
    }
  }
  const { usage, ...whole } = fieldsOf(Object.assign({}, ...chunks))
  return usage === null ? { ...whole, choices } : { ...whole, usage, choices }
}

function addPiece(sum: JsonObject, piece: JsonObject): JsonObject {
  const said = Object.entries(piece).filter(([name, value]) => value !== null || sum[name] === undefined)
  return { ...sum, ...Object.fromEntries(said), text: `${sum['text'] ?? ''}${piece['text']}` }
}

function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function listOf(value: unknown): readonly JsonValue[] {
  return isJsonArray(value) ? value : []
}

describe('laws of answers in the completions format', () => {
  it('an answer of this format comes back whole, without a loss', () => {
    fc.assert(
      fc.property(ownReply, (reply) => {
        const { value, losses } = writeReply(reply)
        expect(losses).toEqual([])
        expect(readReply(overTheWire(value))).toStrictEqual(reply)
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('the chunks of a stream add up to the whole answer', () => {
    fc.assert(
      fc.property(fc.oneof(ownReply, replyArbitrary({ format: 'chat' }), replyArbitrary()), (reply) => {
        const { text, losses } = writeStream(reply)
        const whole = writeReply(reply)
        expect(losses).toEqual(expect.arrayContaining([...whole.losses]))
        const named = reply.id === '' ? { id: 'cmpl-r1' } : {}
        expect(addUp(text)).toEqual({ ...fieldsOf(overTheWire(whole.value)), ...named })
      }),
      { numRuns: LAW_RUNS },
    )
  })

  it('an answer of any format comes back unless a loss is declared, and each loss is a known one', () => {
    const without = ['logprobs', 'usage-detail', 'citations', 'service-tier'] as const
    const bare = ['thinking', 'redacted-thinking', 'audio', 'refusal', 'foreign-block'] as const
    const words = fc.oneof(replyArbitrary({ without }), replyArbitrary({ without: [...without, ...bare] }))
    let carried = 0
    fc.assert(
      fc.property(words, (reply) => {
        const { value, losses } = writeReply(reply)
        for (const { feature } of losses) expect(possibleLosses).toContain(feature)
        if (losses.length > 0) return
        carried += 1
        const { createdAtSeconds = 0, ...rest } = reply
        const time = createdAtSeconds === 0 ? {} : { createdAtSeconds }
        expect(readReply(overTheWire(value))).toEqual({ ...rest, ...time })
      }),
      { numRuns: LAW_RUNS },
    )
    // Fewer than two in a hundred; few answers are words alone.
    expect(carried).toBeGreaterThan(0)
  })

  it('any value is read as an answer or a failure, and watched', () => {
    const choice = fc.record(
      { text: jsonArbitrary, index: jsonArbitrary, logprobs: jsonArbitrary, finish_reason: jsonArbitrary },
      { requiredKeys: [], ...plain },
    )
    const odd = fc.record({ choices: fc.array(fc.oneof(choice, jsonArbitrary)), usage: jsonArbitrary }, plain)
    fc.assert(
      fc.property(fc.oneof(jsonArbitrary, odd), (value) => {
        const reply = readReply(value)
        if ('choices' in reply) writeReply(reply)
        expect(watchReply(value)).toBeTypeOf('object')
        const watcher = createStreamWatcher()
        const bytes = Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
        for (const frame of createSseParser().push(bytes)) expect(watcher.inspect(frame)).toBeTypeOf('object')
      }),
      { numRuns: LAW_RUNS },
    )
  })
})
