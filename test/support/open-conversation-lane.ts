import { readGrant } from '../../src/access/permission.ts'
import type { ChannelFormatId, FormatId } from '../../src/canonical/format.ts'
import { BodyBytes } from '../../src/kit/json/body-bytes.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import type { ConversationExchange, ForAttempt } from '../../src/pipeline/exchange/exchange.ts'
import { openReading } from '../../src/pipeline/exchange/read-in-turns.ts'
import { type LaneDependencies, type OpenedLane, openLane } from '../../src/pipeline/lane/open-lane.ts'
import { ReasoningCache } from '../../src/pipeline/reasoning/reasoning-cache.ts'
import { createReasoningSeal } from '../../src/pipeline/reasoning/reasoning-seal.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { providerRegistry } from '../../src/providers/registry.ts'
import type { Candidate } from '../../src/routing/candidate.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { cohereFormat } from '../../src/wire/cohere/format.ts'
import { completionsFormat } from '../../src/wire/completions/format.ts'
import { converseFormat } from '../../src/wire/converse/format.ts'
import { geminiFormat } from '../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import { createCandidate } from './create-candidate.ts'
import { openCaller } from './key-terms.ts'

const callers = {
  chat: chatFormat,
  completions: completionsFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const { completions: _completions, ...shared } = callers
const formats = { ...shared, cohere: cohereFormat, converse: converseFormat }
const reasoningContinuity = {
  seal: createReasoningSeal('a secret of the installation'),
  cache: new ReasoningCache(systemClock),
}

/** The settings of providers whose paths hold them. */
const settings = { project: 'p', region: 'global' }

export interface AskedLane {
  readonly provider: Provider
  /** The caller's format. */
  readonly format: FormatId | 'completions'
  readonly channelFormat: ChannelFormatId
  /** The upstream's name, where it matters. */
  readonly upstreamModel?: string
  readonly allowed?: readonly string[]
  readonly body: string | Buffer
  /** Whether the path asks for a stream, where the format says it in the path. */
  readonly isStream?: boolean
  readonly more?: Partial<ForAttempt<ConversationExchange>>
}

export function findProvider(id: string): Provider {
  const provider = providerRegistry.find(id)
  if (provider === undefined) throw new Error(`no provider ${id}`)
  return provider
}

/** The lane by which a conversation asks one target. Throws as `openLane` does. */
export function openConversationLane(asked: AskedLane): OpenedLane {
  const { exchange, candidate, dependencies } = openConversation(asked)
  return openLane(exchange, candidate, dependencies)
}

/** A conversation that is not read yet, and whom it asks. */
export function openConversation(asked: AskedLane): {
  readonly exchange: ForAttempt<ConversationExchange>
  readonly candidate: Candidate
  readonly dependencies: LaneDependencies
} {
  const { provider, format: id, channelFormat, upstreamModel, allowed, isStream = false } = asked
  const channel = { provider: provider.id, format: channelFormat, allowFields: new Set(allowed), settings }
  const created = createCandidate(channel)
  const candidate =
    upstreamModel === undefined ? created : { ...created, target: { ...created.target, upstreamModel } }
  const format = callers[id]
  const body = BodyBytes.from([typeof asked.body === 'string' ? Buffer.from(asked.body) : asked.body])
  const terms = id === 'gemini' ? { model: 'm', isStream } : undefined
  const scanned = format.scanRequest(body, terms)
  const { read: readRequests, readSteps } = openReading(scanned, function* (parsed) {
    return format.readRequests?.(parsed) ?? [yield* format.readRequestInSteps(parsed)]
  })
  const exchange: ForAttempt<ConversationExchange> = {
    kind: 'conversation',
    format,
    callerRequest: {
      type: 'operation',
      requestId: 'r',
      format,
      path: '/',
      terms,
      address: '127.0.0.1',
      headers: {},
      query: '',
      body,
      caller: { ...openCaller, permission: readGrant(['m']) },
      startedAtMs: 0,
    },
    scanned,
    route: { publicName: 'm', targets: [candidate.target], strategy: 'priority-weighted', fallbacks: [] },
    isStrict: false,
    showsCost: false,
    tags: {},
    transcript: undefined,
    isFallback: false,
    source: { type: 'caller', upstreamPreviousId: undefined },
    prior: undefined,
    recorder: undefined,
    maxOutputTokens: undefined,
    costOf: undefined,
    readRequests,
    readSteps,
    ...asked.more,
  }
  const providers = { ids: [provider.id], find: () => provider }
  return {
    exchange,
    candidate,
    dependencies: { providers, formats, reasoningContinuity, clock: systemClock },
  }
}
