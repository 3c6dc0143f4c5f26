// How long a whole answer of an upstream keeps the event loop, step by step: checked, parsed, read, written and encoded
// in a turn each. For the worst shapes that an answer's limits let through, at 4 MB and at the limit of an answer, of
// each format of channels for each format of callers.

import { refuseReply } from '../../src/canonical/answer-size.ts'
import type { EmbeddingReply, VectorEncoding } from '../../src/canonical/embedding.ts'
import { isFailure } from '../../src/canonical/failure.ts'
import { channelFormatIds, formatIds } from '../../src/canonical/format.ts'
import type { Reply } from '../../src/canonical/reply.ts'
import { runToEnd, type Steps } from '../../src/kit/async/steps.ts'
import { stringifyInSteps } from '../../src/kit/json/stringify-in-steps.ts'
import {
  encodeWhole,
  parseVectors,
  parseWatchedInSteps,
  readReplyBody,
  writeReplay,
} from '../../src/pipeline/lane/read-whole-reply.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { cohereFormat } from '../../src/wire/cohere/format.ts'
import { converseFormat } from '../../src/wire/converse/format.ts'
import { embeddingsFormat } from '../../src/wire/embeddings/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import { answerShapes, largeAnswers } from '../support/large-answers.ts'
import { measureTurns, reportTurns, type Turn } from './turn-costs.ts'

const MEGABYTE = 1024 * 1024
const limits = [
  { name: '4 MB', bytes: 4 * MEGABYTE, maxMs: 50 },
  { name: '32 MB', bytes: 32 * MEGABYTE, maxMs: 200 },
]
const vectorEncodings = ['float', 'base64'] as const

const callers = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const channels = { ...callers, cohere: cohereFormat, converse: converseFormat }

for (const { name, bytes, maxMs } of limits) {
  const turns = channelFormatIds.flatMap((channel) =>
    answerShapes.flatMap((shape) => {
      const body = Buffer.from(JSON.stringify(largeAnswers[channel](shape, bytes * 0.99)))
      if (body.length > bytes) throw new Error(`${channel}, ${shape}: ${body.length} bytes`)
      return measure(channel, body, { shape: `${shape}, ${(body.length / MEGABYTE).toFixed(1)} MB`, maxMs })
    }),
  )
  reportTurns(name, turns, maxMs)
}

for (const { name, bytes, maxMs } of [
  { name: '4 MB of vectors', bytes: 4 * MEGABYTE, maxMs: 50 },
  { name: '128 MB of vectors', bytes: 128 * MEGABYTE, maxMs: 200 },
]) {
  const turns = vectorEncodings.flatMap((encoding) => measureVectors(encoding, bytes * 0.99, maxMs))
  reportTurns(name, turns, maxMs)
}

/** Vectors that come in one encoding and are asked for in the other, or in several calls of the same. */
function measureVectors(encoding: VectorEncoding, bytes: number, maxMs: number): readonly Turn[] {
  const body = Buffer.from(JSON.stringify(largeVectors(encoding, bytes)))
  const reply = runToEnd(readVectors(body))
  const name = `${encoding} vectors, ${(body.length / MEGABYTE).toFixed(1)} MB`
  return [
    ...measureTurns({ name: `reading, ${name}`, maxMs }, () => readVectors(body)),
    ...vectorEncodings.flatMap((wanted) =>
      measureTurns({ name: `writing as ${wanted}, ${name}`, maxMs }, function* () {
        const value = embeddingsFormat.writeReply(reply, wanted)
        yield
        return yield* stringifyInSteps(value)
      }),
    ),
  ]
}

function* readVectors(body: Buffer): Steps<EmbeddingReply> {
  const parsed = yield* parseVectors(body)
  if (isFailure(parsed)) throw new Error(parsed.message)
  yield
  const reply = embeddingsFormat.readReply(parsed.json)
  if (isFailure(reply)) throw new Error(reply.message)
  return reply
}

/** As many vectors of 3,072 numbers as there is room for, 2,048 at most. */
function largeVectors(encoding: VectorEncoding, bytes: number): object {
  const values = Array.from({ length: 3_072 }, (_, index) => Math.sin(index) / 31)
  const embedding =
    encoding === 'float' ? values : Buffer.from(new Float32Array(values).buffer).toString('base64')
  const count = Math.min(2_048, Math.floor(bytes / (JSON.stringify(embedding).length + 60)))
  const data = Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding }))
  return { object: 'list', model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 }, data }
}

interface Measured {
  readonly shape: string
  readonly maxMs: number
}

function measure(channel: keyof typeof channels, body: Buffer, { shape, maxMs }: Measured): readonly Turn[] {
  const name = `${channel} channel, ${shape}`
  const reply = runToEnd(readReplyBody(channels[channel], body))
  if (isFailure(reply) || refuseReply(reply) !== undefined)
    throw new Error(`${name} is no answer: ${isFailure(reply) ? reply.message : 'too large'}`)
  return [
    ...measureTurns({ name: `reading, ${name}`, maxMs }, () => readReplyBody(channels[channel], body)),
    ...measureTurns({ name: `watching, ${name}`, maxMs }, () => watch(channel, body)),
    ...formatIds.flatMap((caller) => measureWriting(caller, reply, { shape: name, maxMs })),
  ]
}

function* watch(channel: keyof typeof channels, body: Buffer): Steps<unknown> {
  const parsed = yield* parseWatchedInSteps(body)
  yield
  if (channel === 'cohere' || channel === 'converse' || isFailure(parsed)) return parsed
  return callers[channel].watchReply(parsed.json)
}

function measureWriting(
  caller: keyof typeof callers,
  reply: Reply,
  { shape: name, maxMs }: Measured,
): readonly Turn[] {
  const format = callers[caller]
  return [
    ...measureTurns({ name: `writing for ${caller}, ${name}`, maxMs }, function* () {
      const { value } =
        format.writeReplyInSteps === undefined
          ? format.writeReply(reply)
          : yield* format.writeReplyInSteps(reply)
      yield
      return yield* encodeWhole(value)
    }),
    ...measureTurns({ name: `streaming to ${caller}, ${name}`, maxMs }, function* () {
      const writer = format.createStreamWriter({ streamUsage: true, requestId: 'req_long' })
      const { body } = yield* writeReplay(reply, { writer, costOf: undefined })
      yield
      return typeof body === 'string' ? Buffer.from(body) : body
    }),
  ]
}
