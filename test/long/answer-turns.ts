// How long a whole answer of an upstream keeps the event loop, step by step: checked, parsed, read, written and encoded
// in a turn each. For the worst shapes that an answer's limits let through, at 4 MB and at the limit of an answer, of
// each format of channels for each format of callers. Processor time, the least of three.

import { refuseReply } from '../../src/canonical/answer-size.ts'
import type { EmbeddingReply, VectorEncoding } from '../../src/canonical/embedding.ts'
import { isFailure } from '../../src/canonical/failure.ts'
import { channelFormatIds, formatIds } from '../../src/canonical/format.ts'
import type { Reply } from '../../src/canonical/reply.ts'
import { stringifyInSteps } from '../../src/kit/json/stringify-in-steps.ts'
import {
  encodeWhole,
  parseVectors,
  parseWatchedInSteps,
  readBody,
  writeReplay,
} from '../../src/pipeline/lane/read-whole-reply.ts'
import { runToEnd, type Steps } from '../../src/pipeline/relay/answer-steps.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { cohereFormat } from '../../src/wire/cohere/format.ts'
import { converseFormat } from '../../src/wire/converse/format.ts'
import { embeddingsFormat } from '../../src/wire/embeddings/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import { answerShapes, largeAnswers } from '../support/large-answers.ts'

const MEGABYTE = 1024 * 1024
const limits = [
  { name: '4 MB', bytes: 4 * MEGABYTE, mostMs: 50 },
  { name: '32 MB', bytes: 32 * MEGABYTE, mostMs: 200 },
]
const REPEATS = 3
const vectorEncodings = ['float', 'base64'] as const

const callers = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const channels = { ...callers, cohere: cohereFormat, converse: converseFormat }

interface Turn {
  readonly name: string
  readonly ms: number
}

for (const { name, bytes, mostMs } of limits) {
  const turns = channelFormatIds.flatMap((channel) =>
    answerShapes.flatMap((shape) => {
      const body = Buffer.from(JSON.stringify(largeAnswers[channel](shape, bytes * 0.99)))
      if (body.length > bytes) throw new Error(`${channel}, ${shape}: ${body.length} bytes`)
      return measure(channel, body, `${shape}, ${(body.length / MEGABYTE).toFixed(1)} MB`)
    }),
  )
  report(name, turns, mostMs)
}

for (const { name, bytes, mostMs } of [
  { name: '4 MB of vectors', bytes: 4 * MEGABYTE, mostMs: 50 },
  { name: '128 MB of vectors', bytes: 128 * MEGABYTE, mostMs: 200 },
]) {
  report(
    name,
    (['float', 'base64'] as const).flatMap((encoding) => measureVectors(encoding, bytes * 0.99)),
    mostMs,
  )
}

function report(name: string, turns: readonly Turn[], mostMs: number): void {
  const worst = turns.toSorted((left, right) => right.ms - left.ms).slice(0, 3)
  const over = turns.filter(({ ms }) => ms > mostMs)
  process.stdout.write(
    `${name}: ${turns.length} turns, ${over.length} longer than ${mostMs} ms; the longest:\n`,
  )
  for (const turn of worst) process.stdout.write(`  ${turn.ms.toFixed(0)} ms ${turn.name}\n`)
  if (over.length > 0) process.exitCode = 1
}

/** Vectors that come in one encoding and are asked for in the other, or in several calls of the same. */
function measureVectors(encoding: VectorEncoding, bytes: number): readonly Turn[] {
  const body = Buffer.from(JSON.stringify(largeVectors(encoding, bytes)))
  const reply = runToEnd(readVectors(body))
  const name = `${encoding} vectors, ${(body.length / MEGABYTE).toFixed(1)} MB`
  return [
    ...costsOf(`reading, ${name}`, () => readVectors(body)),
    ...vectorEncodings.flatMap((wanted) =>
      costsOf(`writing as ${wanted}, ${name}`, function* () {
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

function measure(channel: keyof typeof channels, body: Buffer, shape: string): readonly Turn[] {
  const name = `${channel} channel, ${shape}`
  const reply = runToEnd(readBody(channels[channel], body))
  if (isFailure(reply) || refuseReply(reply) !== undefined)
    throw new Error(`${name} is no answer: ${isFailure(reply) ? reply.message : 'too large'}`)
  return [
    ...costsOf(`reading, ${name}`, () => readBody(channels[channel], body)),
    ...costsOf(`watching, ${name}`, () => watch(channel, body)),
    ...formatIds.flatMap((caller) => measureWriting(caller, reply, name)),
  ]
}

function* watch(channel: keyof typeof channels, body: Buffer): Steps<unknown> {
  const parsed = yield* parseWatchedInSteps(body)
  yield
  if (channel === 'cohere' || channel === 'converse' || isFailure(parsed)) return parsed
  return callers[channel].watchReply(parsed.json)
}

function measureWriting(caller: keyof typeof callers, reply: Reply, name: string): readonly Turn[] {
  const format = callers[caller]
  return [
    ...costsOf(`writing for ${caller}, ${name}`, function* () {
      const { value } = format.writeReply(reply)
      yield
      return yield* encodeWhole(value)
    }),
    ...costsOf(`streaming to ${caller}, ${name}`, function* () {
      const writer = format.createStreamWriter({ streamUsage: true, requestId: 'req_long' })
      const { body } = yield* writeReplay(reply, writer)
      yield
      return typeof body === 'string' ? Buffer.from(body) : body
    }),
  ]
}

/** Of each step, the least of several runs. */
function costsOf(name: string, open: () => Steps<unknown>): readonly Turn[] {
  const least: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const steps = open()
    for (let step = 0, isDone = false; !isDone; step += 1) {
      const before = process.threadCpuUsage()
      isDone = steps.next().done === true
      const { user, system } = process.threadCpuUsage(before)
      least[step] = Math.min(least[step] ?? Number.POSITIVE_INFINITY, (user + system) / 1_000)
    }
  }
  return least.map((ms, step) => ({ name: `step ${step + 1} of ${name}`, ms }))
}
