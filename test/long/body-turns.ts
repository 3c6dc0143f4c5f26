// How long a translated body keeps the event loop, step by step: parsed, read, written and encoded. For the
// worst shapes that a body's limits let through, at 4 MB and at the default limit of a body.

import { GatewayError } from '../../src/canonical/failure.ts'
import { type ChannelFormatId, channelFormatIds, formatIds } from '../../src/canonical/format.ts'
import { estimateInputTokensInSteps } from '../../src/canonical/input-size/estimate-input-tokens.ts'
import { vocabularies } from '../../src/canonical/input-size/token-vocabulary.ts'
import type { ChatRequest } from '../../src/canonical/request.ts'
import type { Steps } from '../../src/kit/async/steps.ts'
import { BodyBytes } from '../../src/kit/json/body-bytes.ts'
import type { ConversationExchange } from '../../src/pipeline/exchange/exchange.ts'
import { openLaneInSteps } from '../../src/pipeline/lane/open-lane.ts'
import { anthropic } from '../../src/providers/vendors/anthropic.ts'
import { bedrock } from '../../src/providers/vendors/bedrock.ts'
import { cohere } from '../../src/providers/vendors/cohere.ts'
import { gemini } from '../../src/providers/vendors/gemini.ts'
import { openai } from '../../src/providers/vendors/openai.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import { parseBody } from '../../src/wire/verbatim/parse-body.ts'
import type { ScannedRequest } from '../../src/wire/wire-format.ts'
import { type LargeBody, largeBodies } from '../support/large-bodies.ts'
import { openConversation } from '../support/open-conversation-lane.ts'
import { measureTurns, reportTurns, type Turn } from './turn-costs.ts'

const MEGABYTE = 1024 * 1024
const limits = [
  { name: '4 MB', bytes: 4 * MEGABYTE, maxMs: 50 },
  { name: '32 MB', bytes: 32 * MEGABYTE, maxMs: 200 },
]
/** The most values of a conversation: a larger one is refused. */
const MAX_VALUES = 100_000

const callers = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const channels = {
  chat: { provider: openai, upstreamModel: 'gpt-5' },
  messages: { provider: anthropic, upstreamModel: 'claude-sonnet-4-5' },
  responses: { provider: openai, upstreamModel: 'gpt-5' },
  gemini: { provider: gemini, upstreamModel: 'gemini-3-pro-preview' },
  cohere: { provider: cohere, upstreamModel: 'command-a-03-2025' },
  converse: { provider: bedrock, upstreamModel: 'amazon.nova-pro-v1:0' },
}

for (const { name, bytes, maxMs } of limits) {
  const turns = formatIds.flatMap((caller) =>
    Object.entries(largeBodies[caller]).flatMap(([shape, make]) => {
      const scanned = scanLargest(caller, make, bytes)
      return scanned === undefined ? [] : measure(caller, scanned, { shape, maxMs })
    }),
  )
  reportTurns(name, turns, maxMs)
}

function scan(caller: keyof typeof callers, body: Buffer): ScannedRequest | undefined {
  const terms = caller === 'gemini' ? { model: 'm', isStream: false } : undefined
  try {
    return callers[caller].scanRequest(BodyBytes.from([body]), terms)
  } catch {
    return undefined
  }
}

/** The largest body of a shape that a gateway takes, within some tenths. */
function scanLargest(
  caller: keyof typeof callers,
  make: LargeBody,
  maxBytes: number,
): ScannedRequest | undefined {
  const write = (count: number) => Buffer.from(JSON.stringify({ model: 'm', ...make(count) }))
  const few = { less: scan(caller, write(500)), more: scan(caller, write(1_000)) }
  if (few.less === undefined || few.more === undefined) return undefined
  const growth = (sizeOf: (scanned: ScannedRequest) => number) =>
    few.less && few.more ? (sizeOf(few.more) - sizeOf(few.less)) / 500 : 0
  let count = Math.floor(
    Math.min(
      maxBytes / growth(({ body }) => body.length),
      MAX_VALUES /
        Math.max(
          growth(({ body }) => body.inspection.scan.values),
          0.01,
        ),
    ) * 0.95,
  )
  for (let tries = 0; tries < 24; tries += 1) {
    const body = write(count)
    const scanned = body.length <= maxBytes ? scan(caller, body) : undefined
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

interface Measured {
  readonly shape: string
  readonly maxMs: number
}

function measure(
  caller: keyof typeof callers,
  scanned: ScannedRequest,
  { shape, maxMs }: Measured,
): readonly Turn[] {
  const { body } = scanned
  const size = `${(body.length / MEGABYTE).toFixed(1)} MB, ${body.inspection.scan.values} values`
  const name = `${caller} caller, ${shape} (${size})`
  const bytes = Buffer.concat(body.chunks)
  const open = (id: ChannelFormatId) =>
    openConversation({ ...channels[id], format: caller, channelFormat: id, body: bytes })
  const measured = (work: string, steps: () => Steps<unknown>) =>
    measureTurns({ name: `${work}, ${name}`, maxMs, isJoined: true }, steps)
  const reading = measured('reading', () => open('chat').exchange.readSteps())
  const request = readOrRefuse(open('chat').exchange)
  if (request === undefined) return reading
  const counting = measured('counting', () => estimateInputTokensInSteps(request, vocabularies.gpt))
  const writing = channelFormatIds
    .filter((id) => id !== caller)
    .flatMap((id) => {
      const { exchange, candidate, dependencies } = open(id)
      exchange.readRequests()
      return measured(`writing for ${id}`, function* () {
        try {
          return yield* openLaneInSteps(exchange, candidate, dependencies)
        } catch (error) {
          if (error instanceof GatewayError) return error.failure
          throw error
        }
      })
    })
  return [...reading, ...counting, ...writing]
}

/** Undefined where the request is refused. */
function readOrRefuse({ readRequests }: ConversationExchange): ChatRequest | undefined {
  try {
    return readRequests()[0]
  } catch {
    return undefined
  }
}
