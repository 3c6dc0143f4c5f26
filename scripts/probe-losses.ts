// Finds which losses each pair of formats has, by carrying many requests and answers from one to the other.
import fc from 'fast-check'
import type { ChannelFormatId } from '../src/canonical/format.ts'
import type { Loss, LossFeature, LossKind } from '../src/canonical/loss.ts'
import type { Reply } from '../src/canonical/reply.ts'
import type { ChatRequest } from '../src/canonical/request.ts'
import { isJsonObject, type JsonObject } from '../src/kit/json/json.ts'
import type { Provider } from '../src/providers/provider.ts'
import { providers } from '../src/providers/registry.ts'
import type { Dialect } from '../src/wire/dialect.ts'
import type { ChannelFormat, WireFormat } from '../src/wire/wire-format.ts'
import { chatRequestArbitrary, replyArbitrary } from '../test/support/canonical-arbitraries.ts'
import type { LossCaller } from './loss-callers.ts'

/** The losses of one feature on the way from one format to another. */
export interface ProbedLoss {
  readonly kinds: ReadonlySet<LossKind>
  /** Whether every server of the channel's format has it, as far as we know them. */
  readonly isEverywhere: boolean
}

export type ProbedLosses = ReadonlyMap<LossFeature, ProbedLoss>

/** The number of cases that are tried. Equal sizes give equal losses. */
export interface ProbeSize {
  readonly seed: number
  readonly numRuns: number
}

/** One of each kind that some provider's dialect tells apart. */
const sampleModels = [
  'm',
  'gpt-4o',
  'gpt-5',
  'gpt-5.4',
  'claude-3-5-haiku-latest',
  'claude-sonnet-4-5',
  'claude-opus-5-5',
  'gemini-2.5-pro',
  'gemini-3-pro',
  'deepseek-chat',
  'glm-5.2',
  'qwen3-max',
  'kimi-k2.5',
  'grok-4',
]

/**
 * A result that comes after what the user said while the tool ran. Every format can say it. Writers move the result.
 * Samples of turns hardly ever have a result of an earlier call.
 */
const lateResult: ChatRequest = {
  model: 'm',
  stream: false,
  turns: [
    { role: 'user', content: [{ type: 'text', text: 'Look it up.' }] },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' }],
    },
    { role: 'user', content: [{ type: 'text', text: 'Please hurry.' }] },
    { role: 'tool', results: [{ type: 'tool-result', callId: 'c', content: [], isError: false }] },
    { role: 'user', content: [{ type: 'text', text: 'And?' }] },
  ],
}

/** The requests of callers of the format, with only what it can say. */
export function askIn(caller: LossCaller, size: ProbeSize): readonly ChatRequest[] {
  const own = caller.owner === undefined ? {} : { format: caller.owner }
  const sampled = [
    ...fc.sample(chatRequestArbitrary(own), size),
    ...fc.sample(chatRequestArbitrary(), { ...size, seed: size.seed + 1 }),
  ].flatMap((request) => {
    const value = caller.writeRequest(request)
    // Some formats have these in the path, and their readers find them in the body all the same.
    const { model, stream } = request
    const read = tryTo(() => caller.readRequest({ model, stream, ...overTheWire(value) }))
    return read === undefined ? [] : [read]
  })
  return [...sampled, lateResult]
}

/** The losses of those requests on channels of a format. */
export function probeRequests(requests: readonly ChatRequest[], channel: ChannelFormat): ProbedLosses {
  const found = new Map<LossFeature, { kinds: Set<LossKind>; dialects: Set<string> }>()
  const dialects = dialectsOf(channel.id)
  for (const [key, dialect] of dialects) {
    for (const request of requests) {
      const written = tryTo(() => channel.writeRequest(request, { model: 'm', dialect }))
      for (const { feature, kind } of written?.losses ?? []) {
        const loss = found.get(feature) ?? { kinds: new Set(), dialects: new Set() }
        loss.kinds.add(kind)
        loss.dialects.add(key)
        found.set(feature, loss)
      }
    }
  }
  return new Map(
    [...found].map(([feature, loss]) => [
      feature,
      { kinds: loss.kinds, isEverywhere: loss.dialects.size === dialects.size },
    ]),
  )
}

/** Each way in which some provider's models are spoken to, once. */
function dialectsOf(format: ChannelFormatId): ReadonlyMap<string, Dialect> {
  const known: readonly Provider[] = Object.values(providers)
  const dialects = known
    .filter(({ formats }) => formats.includes(format))
    .flatMap((provider) => sampleModels.map((model) => provider.dialect(model, format)))
  return new Map(dialects.map((dialect) => [JSON.stringify(dialect), dialect]))
}

/** Answers as channels of the format give them. */
export function answerIn(channel: ChannelFormat | WireFormat, size: ProbeSize): readonly Reply[] {
  if (!('writeReply' in channel)) {
    return fc.sample(replyArbitrary({ without: neverInAnswers[channel.id] }), size)
  }
  return [
    ...fc.sample(replyArbitrary({ format: channel.id }), size),
    ...fc.sample(replyArbitrary(), { ...size, seed: size.seed + 1 }),
  ].flatMap((reply) => {
    const read = channel.readReply(overTheWire(channel.writeReply(reply).value))
    return 'choices' in read ? [read] : []
  })
}

const notReportedByServices: readonly LossFeature[] = [
  'audio',
  'choices',
  'custom-tool',
  'foreign-block',
  'image',
  'refusal',
  'logprobs',
]

/**
 * The features that answers of a format never hold. The rows of callers' formats are empty: their own writer leaves
 * such features out.
 */
const neverInAnswers: Readonly<Record<ChannelFormatId, readonly LossFeature[]>> = {
  chat: [],
  messages: [],
  responses: [],
  gemini: [],
  cohere: [...notReportedByServices, 'service-tier'],
  converse: notReportedByServices,
}

/** The losses of those answers for callers of a format. */
export function probeReplies(
  replies: readonly Reply[],
  caller: Pick<LossCaller, 'writeReply'>,
): ProbedLosses {
  const found = new Map<LossFeature, Set<LossKind>>()
  const record = ({ feature, kind }: Loss) => {
    found.set(feature, (found.get(feature) ?? new Set()).add(kind))
  }
  for (const reply of replies) for (const loss of caller.writeReply(reply).losses) record(loss)
  return new Map([...found].map(([feature, kinds]) => [feature, { kinds, isEverywhere: true }]))
}

function overTheWire(value: JsonObject): JsonObject {
  const parsed: unknown = JSON.parse(JSON.stringify(value))
  if (isJsonObject(parsed)) return parsed
  throw new Error('not an object')
}

/** Some of what is asked is refused, which is no loss. */
function tryTo<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
