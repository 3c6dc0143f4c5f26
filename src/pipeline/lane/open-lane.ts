import { SEALED_PREFIX, sealedMark, sealedMarkInBase64 } from '../../canonical/carried-reasoning.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import type { Target } from '../../catalog/catalog.ts'
import { runToEnd, type Steps } from '../../kit/async/steps.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { watchedWords } from '../../kit/json/watched-words.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import type { Provider, ProviderRegistry } from '../../providers/provider.ts'
import type { Candidate } from '../../routing/candidate.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ChannelFormat, ScannedRequest } from '../../wire/wire-format.ts'
import type { ConversationExchange, Exchange, ForAttempt, TokenCountExchange } from '../exchange/exchange.ts'
import { isLarge } from '../exchange/read-in-turns.ts'
import type { ReasoningContinuity } from '../reasoning/reasoning-carrier.ts'
import { openEmbeddingLane } from './embedding-lane.ts'
import { openImageLane } from './image-lane.ts'
import type { Lane, SplitLane, WholeReply } from './lane.ts'
import { openModerationLane } from './moderation-lane.ts'
import { refuseSteering } from './refuse-steering.ts'
import { openRerankLane } from './rerank-lane.ts'
import { openSpeechLane } from './speech-lane.ts'
import { openSplitConversation } from './split-conversation.ts'
import { countsTokens, estimateTokenCount, openTokenCountLane } from './token-count-lane.ts'
import { openTranscriptionLane } from './transcription-lane.ts'
import { openTranslatedLane } from './translated-lane.ts'
import { openVerbatimLane } from './verbatim-lane.ts'

/** The way in which one target answers. */
export type OpenedLane =
  | { readonly type: 'call'; readonly lane: Lane; readonly provider: Provider }
  | { readonly type: 'calls'; readonly split: SplitLane; readonly provider: Provider }
  /** An answer for which no provider is called. */
  | { readonly type: 'answer'; readonly reply: WholeReply }

export interface LaneDependencies {
  readonly providers: ProviderRegistry
  readonly formats: Readonly<Record<ChannelFormatId, ChannelFormat>>
  readonly reasoningContinuity: ReasoningContinuity
  readonly clock: Clock
}

/**
 * Prepares one attempt: verbatim where the channel accepts the caller's bytes, otherwise translated. Throws
 * `GatewayError` where the target cannot serve the request.
 */
export function openLane(
  exchange: ForAttempt<Exchange>,
  candidate: Candidate,
  dependencies: LaneDependencies,
): OpenedLane {
  const { target } = candidate
  const provider = findProvider(target, dependencies)
  refuseSteering(exchange, target, provider)
  switch (exchange.kind) {
    case 'conversation':
      return openConversation(exchange, { candidate, provider }, dependencies)
    case 'embedding': {
      const opened = openEmbeddingLane(exchange, {
        target,
        provider,
        channelFormat: dependencies.formats[target.channel.format],
      })
      return { ...opened, provider }
    }
    case 'rerank':
      return { type: 'call', lane: openRerankLane(exchange, { target, provider, ...dependencies }), provider }
    case 'image':
      return { ...openImageLane(exchange, { target, provider, ...dependencies }), provider }
    case 'transcription':
      return {
        type: 'call',
        lane: openTranscriptionLane(exchange, { target, provider, ...dependencies }),
        provider,
      }
    case 'speech':
      return { type: 'call', lane: openSpeechLane(exchange, { target, provider, ...dependencies }), provider }
    case 'moderation':
      return { type: 'call', lane: openModerationLane(exchange, { target, provider }), provider }
    case 'token-count':
      return runToEnd(openCount(exchange, { candidate, provider }))
  }
}

interface CalledCandidate {
  readonly candidate: Candidate
  readonly provider: Provider
}

function openConversation(
  exchange: ForAttempt<ConversationExchange>,
  called: CalledCandidate,
  dependencies: LaneDependencies,
): OpenedLane {
  return goesAsIs(exchange, called)
    ? openAsIs(exchange, called, dependencies)
    : runToEnd(translate(exchange, called, dependencies))
}

function* openCount(
  exchange: ForAttempt<TokenCountExchange>,
  { candidate, provider }: CalledCandidate,
): Steps<OpenedLane> {
  const { target } = candidate
  return countsTokens(exchange, target, provider) && !holdsReasoningSignature(exchange.scanned)
    ? { type: 'call', lane: openTokenCountLane(exchange, target, provider), provider }
    : { type: 'answer', reply: yield* estimateTokenCount(exchange, target.upstreamModel) }
}

/** Whether this target needs a large body to be read, which takes several turns of the event loop. */
export function isOpenedInSteps(
  exchange: Exchange,
  { target }: Candidate,
  dependencies: Pick<LaneDependencies, 'providers'>,
): exchange is ConversationExchange | TokenCountExchange {
  const isRead = exchange.kind === 'conversation' || exchange.kind === 'token-count'
  if (!isRead || !isLarge(exchange.scanned)) return false
  const provider = findProvider(target, dependencies)
  const isSent =
    exchange.kind === 'conversation'
      ? acceptsAsIs(exchange, target, provider)
      : countsTokens(exchange, target, provider)
  return !isSent || holdsSealedMark(exchange.scanned)
}

/** Opens the lane of a large body in steps, with pauses between them. Otherwise like `openLane`. */
export function* openLaneInSteps(
  exchange: ForAttempt<ConversationExchange | TokenCountExchange>,
  candidate: Candidate,
  dependencies: LaneDependencies,
): Steps<OpenedLane> {
  const { target } = candidate
  const called = { candidate, provider: findProvider(target, dependencies) }
  refuseSteering(exchange, target, called.provider)
  if (exchange.kind === 'token-count') return yield* openCount(exchange, called)
  if (goesAsIs(exchange, called)) return openAsIs(exchange, called, dependencies)
  yield
  return yield* translate(exchange, called, dependencies)
}

function goesAsIs(
  exchange: ForAttempt<ConversationExchange>,
  { candidate: { target }, provider }: CalledCandidate,
): boolean {
  return acceptsAsIs(exchange, target, provider) && !holdsReasoningSignature(exchange.scanned)
}

function openAsIs(
  exchange: ForAttempt<ConversationExchange>,
  { candidate, provider }: CalledCandidate,
  { formats, clock, reasoningContinuity }: LaneDependencies,
): OpenedLane {
  const { target } = candidate
  const format = formats[target.channel.format]
  const lane = openVerbatimLane(exchange, {
    target,
    provider,
    createdAtSeconds: unixSeconds(clock.nowMs()),
    channelFormat: format.id === exchange.format.id ? format : undefined,
    recordedTarget: () => ({ candidate, account: reasoningContinuity.seal.accountOf(target.channel) }),
  })
  return { type: 'call', lane, provider }
}

function* translate(
  exchange: ForAttempt<ConversationExchange>,
  { candidate: { target }, provider }: CalledCandidate,
  { formats, clock, reasoningContinuity }: LaneDependencies,
): Steps<OpenedLane> {
  const format = formats[target.channel.format]
  const createdAtSeconds = unixSeconds(clock.nowMs())
  const translation = { target, provider, format, createdAtSeconds, clock, reasoningContinuity }
  const requests = exchange.readRequests()
  const [request] = requests
  return request !== undefined && requests.length === 1
    ? { type: 'call', lane: yield* openTranslatedLane(exchange, request, translation), provider }
    : { type: 'calls', split: yield* openSplitConversation(exchange, requests, translation), provider }
}

/** Whether the channel accepts the caller's own bytes. Not every channel has the endpoint for plain prompts. */
function acceptsAsIs({ format, source }: ConversationExchange, target: Target, provider: Provider): boolean {
  if (source.type === 'rewritten') return false
  const { channel, capabilities, upstreamModel } = target
  const { extraEndpoint } = format
  if (extraEndpoint === undefined) return format.id === channel.format
  if (format.family !== channel.format) return false
  return capabilities[extraEndpoint] ?? provider.endpoints?.[extraEndpoint]?.(upstreamModel) ?? false
}

function findProvider({ channel }: Target, { providers }: Pick<LaneDependencies, 'providers'>): Provider {
  const provider = providers.find(channel.provider)
  if (provider !== undefined) return provider
  throw new InvariantError(`no provider ${channel.provider}`)
}

/**
 * Whether a body holds reasoning that the gateway sealed. Every provider would refuse such reasoning, so the body is
 * then read and written in its own format. The bytes are searched before they are parsed. If they hold the mark, the
 * body is parsed, since the mark matters only where a signature can be, and not in a caller's text.
 */
export function holdsReasoningSignature(scanned: ScannedRequest): boolean {
  if (!holdsSealedMark(scanned)) return false
  const body = tryParse(scanned)
  if (body === undefined) return true
  const { generateContentRequest: inner } = body
  const bodies = isJsonObject(inner) ? [body, inner] : [body]
  return bodies.flatMap(assistantTurns).some(holdsSignature)
}

function holdsSealedMark({ body }: ScannedRequest): boolean {
  if (!body.mayHold(signatureWords)) return false
  return body.includes(sealedMark) || body.includes(sealedMarkInBase64)
}

/** Undefined where the body cannot be parsed. The body's reader then reports the error. */
function tryParse(scanned: ScannedRequest): JsonObject | undefined {
  try {
    return parseBody(scanned)
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** The turns and items that a caller returns from an earlier answer, in any format. */
function assistantTurns({ messages, contents, input }: JsonObject): readonly JsonObject[] {
  const items = [messages, contents, input].flatMap((list) => (isJsonArray(list) ? list : []))
  return items
    .filter(isJsonObject)
    .filter(({ role, type }) => role === 'assistant' || role === 'model' || type === 'reasoning')
}

/** The members in which the formats carry a reasoning signature, or the index of a citation that the gateway added. */
const signatureNames = [
  'data',
  'encrypted_content',
  'encrypted_index',
  'signature',
  'thoughtSignature',
  'thought_signature',
] as const
const signatureFields: ReadonlySet<string> = new Set(signatureNames)
const signatureWords = watchedWords({ names: signatureNames })

/** The fields with the model's input for a tool, which may be anything. */
const inputs: ReadonlySet<string> = new Set(['args', 'arguments', 'input'])

const SEALED_IN_BASE64 = sealedMarkInBase64.toString('utf8')

function holdsSignature(turn: JsonObject): boolean {
  const left: JsonValue[] = [turn]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (isJsonArray(value)) for (const item of value) left.push(item)
    if (!isJsonObject(value)) continue
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string') {
        if (signatureFields.has(name) && isSealed(member)) return true
      } else if (member !== undefined && !inputs.has(name)) left.push(member)
    }
  }
  return false
}

function isSealed(signature: string): boolean {
  return signature.startsWith(SEALED_PREFIX) || signature.startsWith(SEALED_IN_BASE64)
}
