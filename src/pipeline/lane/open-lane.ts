import { GatewayError } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Provider, ProviderRegistry } from '../../providers/provider.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { ChannelFormat } from '../../wire/wire-format.ts'
import type { ConversationExchange, Exchange } from '../exchange/exchange.ts'
import { isLarge } from '../exchange/read-in-turns.ts'
import type { ReasoningContinuity } from '../reasoning/reasoning-carrier.ts'
import { openEmbeddingLane } from './embedding-lane.ts'
import { holdsReasoningSignature } from './holds-reasoning-signature.ts'
import type { Lane, SplitLane, WholeReply } from './lane.ts'
import { openSplitConversation } from './split-conversation.ts'
import { countsTokens, estimateTokenCount, openTokenCountLane } from './token-count-lane.ts'
import { openTranslatedLane } from './translated-lane.ts'
import { openVerbatimLane } from './verbatim-lane.ts'

/** How one target will answer. */
export type OpenedLane =
  | { readonly type: 'call'; readonly lane: Lane; readonly provider: Provider }
  | { readonly type: 'calls'; readonly split: SplitLane; readonly provider: Provider }
  /** Without asking anyone. */
  | { readonly type: 'answer'; readonly reply: WholeReply }

export interface LaneDependencies {
  readonly providers: ProviderRegistry
  readonly formats: Readonly<Record<ChannelFormatId, ChannelFormat>>
  readonly reasoningContinuity: ReasoningContinuity
  readonly clock: Clock
}

/** Prepares one attempt: word for word where the channel takes what the caller sent, translated where not. */
export function openLane(
  exchange: Exchange,
  candidate: Candidate,
  dependencies: LaneDependencies,
): OpenedLane {
  const { target } = candidate
  const provider = findProvider(target, dependencies)
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
    case 'token-count':
      return countsTokens(exchange, target, provider) && !holdsReasoningSignature(exchange.scanned)
        ? { type: 'call', lane: openTokenCountLane(exchange, target, provider), provider }
        : { type: 'answer', reply: estimateTokenCount(exchange, target.upstreamModel) }
  }
}

interface AskedProvider {
  readonly candidate: Candidate
  readonly provider: Provider
}

function openConversation(
  exchange: ConversationExchange,
  { candidate, provider }: AskedProvider,
  { formats, clock, reasoningContinuity }: LaneDependencies,
): OpenedLane {
  const { target } = candidate
  const createdAtSeconds = Math.floor(clock.nowMs() / 1_000)
  const format = formats[target.channel.format]
  if (takesAsIs(exchange, target, provider) && !holdsReasoningSignature(exchange.scanned)) {
    const channelFormat = format.id === exchange.format.id ? format : undefined
    const recordedTarget = () => ({ candidate, account: reasoningContinuity.seal.accountOf(target.channel) })
    const asked = { target, provider, channelFormat, createdAtSeconds, recordedTarget }
    const lane = openVerbatimLane(exchange, asked)
    return { type: 'call', lane, provider }
  }
  const translation = { target, provider, format, createdAtSeconds, reasoningContinuity }
  const requests = exchange.readRequests()
  const [request] = requests
  return request !== undefined && requests.length === 1
    ? { type: 'call', lane: openTranslatedLane(exchange, request, translation), provider }
    : { type: 'calls', split: openSplitConversation(exchange, requests, translation), provider }
}

/** Of a large body that must be read to ask this target: what is done in turns of its own before a lane is opened. */
export function stagesOf(
  exchange: Exchange,
  { target }: Candidate,
  dependencies: Pick<LaneDependencies, 'providers'>,
): readonly (() => void)[] {
  if (exchange.kind !== 'conversation' || !isLarge(exchange.scanned)) return []
  return takesAsIs(exchange, target, findProvider(target, dependencies)) ? [] : exchange.stages
}

/** Whether the channel takes the caller's own bytes. Plain prompts are an endpoint that not every channel has. */
function takesAsIs(
  { format, isRewritten }: ConversationExchange,
  target: Target,
  provider: Provider,
): boolean {
  if (isRewritten === true) return false
  const { channel, capabilities, upstreamModel } = target
  if (format.id !== 'completions') return format.id === channel.format
  if (format.family !== channel.format) return false
  return capabilities.completions ?? provider.endpoints?.completions?.(upstreamModel) ?? false
}

function findProvider({ channel }: Target, { providers }: Pick<LaneDependencies, 'providers'>): Provider {
  const provider = providers.find(channel.provider)
  if (provider !== undefined) return provider
  throw new GatewayError('internal_error', {}, { cause: new Error(`no provider ${channel.provider}`) })
}
