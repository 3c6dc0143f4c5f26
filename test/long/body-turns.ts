// How long a translated body keeps the event loop, stage by stage: parsed, read, written and encoded in a turn each. For
// the worst shapes that a body's limits let through, at 4 MB and at the default limit of a body. Processor time, the
// least of three.

import { GatewayError } from '../../src/canonical/failure.ts'
import { channelFormatIds, formatIds } from '../../src/canonical/format.ts'
import { BodyIntake } from '../../src/kit/json/body-intake.ts'
import { anthropic } from '../../src/providers/vendors/anthropic.ts'
import { bedrock } from '../../src/providers/vendors/bedrock.ts'
import { cohere } from '../../src/providers/vendors/cohere.ts'
import { gemini } from '../../src/providers/vendors/gemini.ts'
import { openai } from '../../src/providers/vendors/openai.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { cohereFormat } from '../../src/wire/cohere/format.ts'
import { converseFormat } from '../../src/wire/converse/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import { parseBody } from '../../src/wire/verbatim/parse-body.ts'
import type { ScannedRequest } from '../../src/wire/wire-format.ts'
import { type LargeBody, largeBodies } from '../support/large-bodies.ts'

const MEGABYTE = 1024 * 1024
const limits = [
  { name: '4 MB', bytes: 4 * MEGABYTE, mostMs: 50 },
  { name: '32 MB', bytes: 32 * MEGABYTE, mostMs: 200 },
]
/** Of a conversation: what is more is refused. */
const MOST_VALUES = 100_000
const REPEATS = 3

const callers = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const channels = {
  chat: { format: chatFormat, dialect: openai.dialect('gpt-5', 'chat') },
  messages: { format: messagesFormat, dialect: anthropic.dialect('claude-sonnet-4-5', 'messages') },
  responses: { format: responsesFormat, dialect: openai.dialect('gpt-5', 'responses') },
  gemini: { format: geminiFormat, dialect: gemini.dialect('gemini-3-pro-preview', 'gemini') },
  cohere: { format: cohereFormat, dialect: cohere.dialect('command-a-03-2025', 'cohere') },
  converse: { format: converseFormat, dialect: bedrock.dialect('amazon.nova-pro-v1:0', 'converse') },
}

interface Turn {
  readonly name: string
  readonly ms: number
}

for (const { name, bytes, mostMs } of limits) {
  const turns = formatIds.flatMap((caller) =>
    Object.entries(largeBodies[caller]).flatMap(([shape, make]) => {
      const scanned = scanLargest(caller, make, bytes)
      return scanned === undefined ? [] : measure(caller, shape, scanned)
    }),
  )
  const worst = turns.toSorted((left, right) => right.ms - left.ms).slice(0, 8)
  const over = turns.filter(({ ms }) => ms > mostMs)
  process.stdout.write(
    `${name}: ${turns.length} turns, ${over.length} longer than ${mostMs} ms; the longest:\n`,
  )
  for (const turn of worst) process.stdout.write(`  ${turn.ms.toFixed(0)} ms ${turn.name}\n`)
  if (over.length > 0) process.exitCode = 1
}

function scan(caller: keyof typeof callers, body: Buffer): ScannedRequest | undefined {
  const terms = caller === 'gemini' ? { model: 'm', stream: false } : undefined
  try {
    return callers[caller].scanRequest(BodyIntake.of([body]), terms)
  } catch {
    return undefined
  }
}

/** The largest body of a shape that a gateway takes, within some tenths. */
function scanLargest(
  caller: keyof typeof callers,
  make: LargeBody,
  mostBytes: number,
): ScannedRequest | undefined {
  const write = (count: number) => Buffer.from(JSON.stringify({ model: 'm', ...make(count) }))
  const few = { less: scan(caller, write(500)), more: scan(caller, write(1_000)) }
  if (few.less === undefined || few.more === undefined) return undefined
  const growth = (sizeOf: (scanned: ScannedRequest) => number) =>
    few.less && few.more ? (sizeOf(few.more) - sizeOf(few.less)) / 500 : 0
  let count = Math.floor(
    Math.min(
      mostBytes / growth(({ body }) => body.length),
      MOST_VALUES /
        Math.max(
          growth(({ body }) => body.inspection.scan.values),
          0.01,
        ),
    ) * 0.95,
  )
  for (let tries = 0; tries < 24; tries += 1) {
    const body = write(count)
    const scanned = body.length <= mostBytes ? scan(caller, body) : undefined
    if (scanned !== undefined && isTaken(caller, scanned)) return scanned
    count = Math.floor(count * 0.85)
  }
  return undefined
}

/** Whether what it says is within the reader's own bounds as well; any other refusal stays, whatever the size. */
function isTaken(caller: keyof typeof callers, scanned: ScannedRequest): boolean {
  try {
    callers[caller].readRequest(parseBody(scanned))
    return true
  } catch (error) {
    return !(error instanceof GatewayError && error.failure.code === 'json_too_complex')
  }
}

function measure(caller: keyof typeof callers, shape: string, scanned: ScannedRequest): readonly Turn[] {
  const size = `${(scanned.body.length / MEGABYTE).toFixed(1)} MB, ${scanned.body.inspection.scan.values} values`
  const name = `${caller} caller, ${shape} (${size})`
  const parsed = parseBody(scanned)
  const request = attempt(() => callers[caller].readRequest(parsed))
  if (request === undefined) return []
  const reading = [
    { name: `parsing, ${name}`, ms: costOf(() => parseBody(scanned)) },
    { name: `reading, ${name}`, ms: costOf(() => callers[caller].readRequest(parsed)) },
  ]
  const writing = channelFormatIds
    .filter((id) => id !== caller)
    .flatMap((id) => {
      const { format, dialect } = channels[id]
      const write = () => attempt(() => format.writeRequest(request, { model: 'm', dialect }).value)
      const written = write()
      const encode = () => Buffer.from(JSON.stringify(written ?? null))
      return [
        { name: `writing for ${id}, ${name}`, ms: costOf(write) },
        { name: `encoding for ${id}, ${name}`, ms: costOf(encode) },
      ]
    })
  return [...reading, ...writing]
}

/** Undefined where the request is refused. */
function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

function costOf(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
