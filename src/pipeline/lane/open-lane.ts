import type { ChannelFormatId } from '../../canonical/format.ts'
import type { Target } from '../../catalog/catalog.ts'
import { runToEnd, type Steps } from '../../kit/async/steps.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import type { Provider, ProviderRegistry } from '../../providers/provider.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import type { ConversationExchange, Exchange, ForAttempt, TokenCountExchange } from '../exchange/exchange.ts'
import { isLarge } from '../exchange/read-in-turns.ts'
import type { ReasoningContinuity } from '../reasoning/reasoning-carrier.ts'
import { holdsSealedReasoning, mayHoldSealedReasoning } from '../reasoning/sealed-reasoning.ts'
import { openEmbeddingLane } from './embedding-lane.ts'
import { openImageLane } from './image-lane.ts'
import type { LaneCalls, WholeReply } from './lane.ts'
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
  | (LaneCalls & { readonly provider: Provider })
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
  return isSentVerbatim(exchange, called)
    ? openVerbatim(exchange, called, dependencies)
    : runToEnd(openTranslated(exchange, called, dependencies))
}

function* openCount(
  exchange: ForAttempt<TokenCountExchange>,
  { candidate, provider }: CalledCandidate,
): Steps<OpenedLane> {
  const { target } = candidate
  return countsTokens(exchange, target, provider) && !holdsSealedReasoning(exchange.scanned)
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
      ? acceptsCallersBytes(exchange, target, provider)
      : countsTokens(exchange, target, provider)
  return !isSent || mayHoldSealedReasoning(exchange.scanned)
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
  if (isSentVerbatim(exchange, called)) return openVerbatim(exchange, called, dependencies)
  yield
  return yield* openTranslated(exchange, called, dependencies)
}

function isSentVerbatim(
  exchange: ForAttempt<ConversationExchange>,
  { candidate: { target }, provider }: CalledCandidate,
): boolean {
  return acceptsCallersBytes(exchange, target, provider) && !holdsSealedReasoning(exchange.scanned)
}

function openVerbatim(
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

function* openTranslated(
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
function acceptsCallersBytes(
  { format, source }: ConversationExchange,
  target: Target,
  provider: Provider,
): boolean {
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
