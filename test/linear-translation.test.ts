import { describe, expect, it } from 'vitest'
import { type ChannelFormatId, channelFormatIds, formatIds } from '../src/canonical/format.ts'
import type { ChatRequest } from '../src/canonical/request.ts'
import { BodyBytes } from '../src/kit/json/body-bytes.ts'
import type { Provider } from '../src/providers/provider.ts'
import { anthropic } from '../src/providers/vendors/anthropic.ts'
import { bedrock } from '../src/providers/vendors/bedrock.ts'
import { cohere } from '../src/providers/vendors/cohere.ts'
import { gemini } from '../src/providers/vendors/gemini.ts'
import { mistral } from '../src/providers/vendors/mistral.ts'
import { openai } from '../src/providers/vendors/openai.ts'
import { perplexity } from '../src/providers/vendors/perplexity.ts'
import { chatFormat } from '../src/wire/chat/format.ts'
import { cohereFormat } from '../src/wire/cohere/format.ts'
import { bedrockConverseFormat } from '../src/wire/converse/caller-format.ts'
import { converseFormat } from '../src/wire/converse/format.ts'
import { BlockReader } from '../src/wire/converse/reply/block-reader.ts'
import { geminiFormat } from '../src/wire/gemini/format.ts'
import { messagesFormat } from '../src/wire/messages/format.ts'
import { ollamaChatFormat } from '../src/wire/ollama/format.ts'
import { responsesFormat } from '../src/wire/responses/format.ts'
import { parseBody } from '../src/wire/verbatim/parse-body.ts'
import type { ChannelFormat, ConversationFormat } from '../src/wire/wire-format.ts'
import { type LargeBody, type LargeBodyFormat, largeBodies } from './support/large-bodies.ts'

const wireFormats = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
} as const
const callers: Readonly<Record<LargeBodyFormat, ConversationFormat>> = {
  ...wireFormats,
  'ollama-chat': ollamaChatFormat,
  'bedrock-converse': bedrockConverseFormat,
}

interface Channel {
  readonly provider: Provider
  readonly model: string
}

/** Every channel format, in the dialects that fit requests in ways of their own. */
const formats: Readonly<Record<ChannelFormatId, ChannelFormat>> = {
  ...wireFormats,
  cohere: cohereFormat,
  converse: converseFormat,
}
const channels: Readonly<Record<ChannelFormatId, readonly Channel[]>> = {
  chat: [
    { provider: openai, model: 'gpt-5' },
    { provider: perplexity, model: 'sonar' },
  ],
  messages: [
    { provider: anthropic, model: 'claude-opus-4-8' },
    { provider: anthropic, model: 'claude-sonnet-4-5' },
  ],
  responses: [{ provider: openai, model: 'gpt-5' }],
  gemini: [{ provider: gemini, model: 'gemini-3-pro-preview' }],
  cohere: [{ provider: cohere, model: 'command-a-03-2025' }],
  converse: [{ provider: bedrock, model: 'anthropic.claude-sonnet-4-5-20250929-v1:0' }],
}

interface Target extends Channel {
  readonly format: ChannelFormat
}

const targets: readonly Target[] = channelFormatIds.flatMap((id) =>
  channels[id].map((channel) => ({ format: formats[id], ...channel })),
)

const FEW = 375
const GROWTH = 16
/** Far above 1, which is linear, and far below 16, which is a square. */
const MAX_RATIO = 4
/** Work that takes less time is not worth measuring. */
const MIN_MS = 15
const TRIES = 4
/** A channel format gets every other shape of a caller's; all in `test/long/linear-translation.ts`. */
const EVERY = Number(process.env['SHAPES_EVERY'] ?? 2)

function bodyOf(make: LargeBody, count: number): Buffer {
  return Buffer.from(JSON.stringify({ model: 'm', ...make(count) }))
}

function read(format: ConversationFormat, bytes: Buffer) {
  const hasPathTerms = format.id === 'gemini' || format.id === 'bedrock-converse'
  const terms = hasPathTerms ? { model: 'm', isStream: false } : undefined
  return format.readRequest(parseBody(format.scanRequest(BodyBytes.from([bytes]), terms)))
}

/** Processor time: other work of the machine does not count. */
function costOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  return process.cpuUsage(before).user / 1_000
}

/**
 * The cost of much work at once, divided by the cost of as much work in 16 parts; the least of some tries, since noise
 * only adds. Both do the same amount, so the garbage collector and the compiler weigh alike on both.
 */
function ratioOf(few: () => void, many: () => void): number {
  let lowest = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < TRIES && lowest > MAX_RATIO; tries += 1) {
    const manyMs = costOf(many)
    if (manyMs < MIN_MS) return 0
    const partsMs = costOf(() => {
      for (let part = 0; part < GROWTH; part += 1) few()
    })
    lowest = Math.min(lowest, manyMs / partsMs)
  }
  return lowest
}

describe.each([...formatIds, 'ollama-chat', 'bedrock-converse'] as const)(
  'the cost of a %s request of 16 times the length',
  (caller) => {
    const format = callers[caller]

    const shapes = Object.entries(largeBodies[caller]).map(
      ([shape, make], index) => [shape, make, index] as const,
    )
    it.each(shapes)('grows linearly at most: %s', (_shape, make, index) => {
      const few = bodyOf(make, FEW)
      const many = bodyOf(make, FEW * GROWTH)
      expect(
        ratioOf(
          () => read(format, few),
          () => read(format, many),
        ),
        'reading',
      ).toBeLessThan(MAX_RATIO)
      const requests = { few: read(format, few), many: read(format, many) }
      const asked = targets.filter((_target, at) => (at + index) % EVERY === 0)
      for (const target of asked) expectLinear(requests.few, requests.many, target)
    })
  },
)

const mistralTarget: Target = { format: chatFormat, provider: mistral, model: 'mistral-large-latest' }

/** As many messages as a request can have, since a square of small cost shows only then. */
it.each([...targets, mistralTarget])(
  'the cost of joining 24,000 users grows linearly at most for $format.id, $model',
  (target) => {
    const user = { role: 'user', content: 'a' }
    const users = (count: number) =>
      read(
        chatFormat,
        bodyOf(() => ({ messages: Array(count).fill(user) }), count),
      )
    expectLinear(users(24_000 / GROWTH), users(24_000), target)
  },
)

function expectLinear(few: ChatRequest, many: ChatRequest, { format, provider, model }: Target): void {
  const write = (request: ChatRequest) =>
    format.writeRequest(request, { model, dialect: provider.dialect(model, format.id) })
  const ratio = ratioOf(
    () => write(few),
    () => write(many),
  )
  expect(ratio, `writing for ${format.id}, ${model}`).toBeLessThan(MAX_RATIO)
}

it('the cost of reading an answer of Cohere grows at most linearly with its parts and sources', () => {
  const answer = (count: number) => ({
    id: 'r',
    finish_reason: 'COMPLETE',
    message: {
      role: 'assistant',
      content: Array.from({ length: count }, () => ({ type: 'text', text: 'a' })),
      citations: Array.from({ length: count * 10 }, (_, index) => ({
        start: 0,
        end: 1,
        text: 'a',
        sources: [],
        content_index: index % count,
      })),
    },
  })
  const [few, many] = [answer(250), answer(250 * GROWTH)]
  const ratio = ratioOf(
    () => cohereFormat.readReply(few),
    () => cohereFormat.readReply(many),
  )
  expect(ratio).toBeLessThan(MAX_RATIO)
  const reply = cohereFormat.readReply(few)
  const cited = 'choices' in reply ? reply.choices[0]?.content : undefined
  expect(cited?.map((block) => block.type === 'text' && block.citations?.length)).toEqual(Array(250).fill(10))
})

it('the cost of reading redacted reasoning of Converse grows at most linearly with its pieces', () => {
  const piece = { reasoningContent: { redactedContent: Buffer.alloc(16, 'a').toString('base64') } }
  const read = (count: number) => {
    const reader = new BlockReader()
    for (let index = 0; index < count; index += 1) reader.delta(0, piece)
    expect(reader.stop(0)).toHaveLength(2)
  }
  expect(
    ratioOf(
      () => read(2_500),
      () => read(2_500 * GROWTH),
    ),
  ).toBeLessThan(MAX_RATIO)
})
