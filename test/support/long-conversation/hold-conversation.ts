import type { ChannelFormatId } from '../../../src/canonical/format.ts'
import { createSeededRandom } from '../../../src/kit/random/seeded-random.ts'
import { openGateway } from '../open-gateway.ts'
import type { Agent, AgentTerms } from './agent.ts'
import { createChatAgent } from './chat-agent.ts'
import { createStrictUpstream, type StrictUpstream, type UpstreamKind } from './create-strict-upstream.ts'
import { createGeminiAgent } from './gemini-agent.ts'
import { createMessagesAgent } from './messages-agent.ts'
import { type PlannedTurn, restrictToConversationChannels } from './plan-conversation.ts'
import { type PlayedTurn, playConversation } from './play-conversation.ts'
import { createResponsesAgent } from './responses-agent.ts'

/** Clients by their format and by which part of an answer they return. */
export const callerKinds = [
  'chat',
  'chat that forgets reasoning',
  'messages',
  'responses',
  'responses without ids',
  'gemini',
] as const
export type CallerKind = (typeof callerKinds)[number]

export const createAgent: Readonly<Record<CallerKind, (terms: AgentTerms) => Agent>> = {
  chat: (terms) => createChatAgent({ ...terms, memory: 'whole' }),
  'chat that forgets reasoning': (terms) => createChatAgent({ ...terms, memory: 'words' }),
  messages: createMessagesAgent,
  responses: (terms) => createResponsesAgent({ ...terms, keepsIds: true }),
  'responses without ids': (terms) => createResponsesAgent({ ...terms, keepsIds: false }),
  gemini: createGeminiAgent,
}

export interface ChannelSetting {
  readonly kind: UpstreamKind
  readonly format: ChannelFormatId
  readonly provider?: string
  /** The model by whose name the gateway knows what it takes. */
  readonly model: string
}

/** The channels that a conversation can be held on. */
export const channelSettings = {
  chat: { kind: 'chat', format: 'chat', model: 'm' },
  'chat with reasoning details': { kind: 'details', format: 'chat', provider: 'openrouter', model: 'm' },
  'chat with reasoning content': {
    kind: 'content',
    format: 'chat',
    provider: 'deepseek',
    model: 'deepseek-v4',
  },
  'messages with a budget': { kind: 'messages', format: 'messages', model: 'claude-sonnet-4-5' },
  'messages, adaptive': { kind: 'messages', format: 'messages', model: 'claude-opus-4-6' },
  responses: { kind: 'responses', format: 'responses', provider: 'openai', model: 'gpt-5.2' },
  gemini: { kind: 'gemini', format: 'gemini', model: 'gemini-3.1-pro-preview' },
  converse: { kind: 'converse', format: 'converse', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
  cohere: { kind: 'cohere', format: 'cohere', model: 'command-a-reasoning-08-2025' },
} as const satisfies Readonly<Record<string, ChannelSetting>>
export type ChannelName = keyof typeof channelSettings
export const channelNames: readonly ChannelName[] = [
  'chat',
  'chat with reasoning details',
  'chat with reasoning content',
  'messages with a budget',
  'messages, adaptive',
  'responses',
  'gemini',
  'converse',
  'cohere',
]

/** Word for word, a service that demands its reasoning back gets none of a client that forgets it. */
export function canHold(caller: CallerKind, channel: ChannelName): boolean {
  return caller !== 'chat that forgets reasoning' || channel !== 'chat with reasoning content'
}

export interface HeldConversation {
  readonly caller: CallerKind
  readonly channel: ChannelName
  readonly plan: readonly PlannedTurn[]
  readonly upstream: StrictUpstream
  readonly played: readonly PlayedTurn[]
  /** The reason why the agent gave up; undefined where it came to the end. */
  readonly failure: string | undefined
}

export interface ConversationTerms {
  readonly caller: CallerKind
  readonly channel: ChannelName
  /** The turns that are streamed. */
  readonly streams: 'all' | 'none' | 'every other'
  readonly seed: number
  readonly turnCount: number
}

/** One conversation through the whole gateway, over sockets, with an upstream that takes nothing wrong. */
export async function holdConversation(terms: ConversationTerms): Promise<HeldConversation> {
  const { caller, channel, streams, seed, turnCount } = terms
  const plan = restrictToConversationChannels(createSeededRandom(seed), turnCount)
  const setting: ChannelSetting = channelSettings[channel]
  const { kind, format, provider, model } = setting
  const upstream = createStrictUpstream({ kind, plan })
  await using open = await openGateway({
    format,
    provider,
    upstreamModel: model,
    scripts: [upstream.script],
  })
  const played: PlayedTurn[] = []
  const chooseStream = () => (streams === 'every other' ? played.length % 2 === 0 : streams === 'all')
  const agent = createAgent[caller]({ url: open.gateway.url, chooseModel: () => 'm', chooseStream })
  const failure = await playConversation(agent, plan, played).then(() => undefined, String)
  return { caller, channel, plan, upstream, played, failure }
}
