import { readGrant } from '../../../src/access/permission.ts'
import { type ChannelFormatId, formatIds } from '../../../src/canonical/format.ts'
import { defaultTimeouts } from '../../../src/catalog/channel.ts'
import { inOneStep, runToEnd } from '../../../src/kit/async/steps.ts'
import { BodyBytes } from '../../../src/kit/json/body-bytes.ts'
import { systemClock } from '../../../src/kit/time/clock.ts'
import type { AttemptOutcome } from '../../../src/pipeline/attempt/attempt-outcome.ts'
import { runAttempt } from '../../../src/pipeline/attempt/run-attempt.ts'
import { AnswerBudget, AnswerTurns } from '../../../src/pipeline/exchange/answer-budget.ts'
import type { ConversationExchange, ForAttempt } from '../../../src/pipeline/exchange/exchange.ts'
import type { Lane } from '../../../src/pipeline/lane/lane.ts'
import { openTranslatedLane } from '../../../src/pipeline/lane/translated-lane.ts'
import { openVerbatimLane } from '../../../src/pipeline/lane/verbatim-lane.ts'
import { ReasoningCache } from '../../../src/pipeline/reasoning/reasoning-cache.ts'
import { createReasoningSeal } from '../../../src/pipeline/reasoning/reasoning-seal.ts'
import { createDeadlineWatch } from '../../../src/pipeline/response/deadline-watch.ts'
import { providerRegistry } from '../../../src/providers/registry.ts'
import { createRedactor } from '../../../src/telemetry/redact.ts'
import { emptyBody } from '../../../src/upstream/upstream-body.ts'
import { chatFormat } from '../../../src/wire/chat/format.ts'
import { cohereFormat } from '../../../src/wire/cohere/format.ts'
import { bedrockConverseFormat } from '../../../src/wire/converse/caller-format.ts'
import { converseFormat } from '../../../src/wire/converse/format.ts'
import { geminiFormat } from '../../../src/wire/gemini/format.ts'
import { messagesFormat } from '../../../src/wire/messages/format.ts'
import { ollamaChatFormat } from '../../../src/wire/ollama/format.ts'
import { responsesFormat } from '../../../src/wire/responses/format.ts'
import { parseBody } from '../../../src/wire/verbatim/parse-body.ts'
import type { ConversationFormat } from '../../../src/wire/wire-format.ts'
import { createCandidate } from '../../support/create-candidate.ts'
import { openCaller } from '../../support/key-terms.ts'
import { createSendingUpstream, type SentAnswer } from './send-bytes.ts'

const formats = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const channelFormats = { ...formats, cohere: cohereFormat, converse: converseFormat }
const providers: Readonly<Record<ChannelFormatId, string>> = {
  chat: 'openai-compatible',
  messages: 'anthropic-compatible',
  responses: 'openai-compatible',
  gemini: 'gemini',
  cohere: 'cohere',
  converse: 'bedrock',
}

/** The formats that callers speak, those without a channel among them. */
export const fuzzCallers = [...formatIds, 'ollama-chat', 'bedrock-converse'] as const
export type FuzzCaller = (typeof fuzzCallers)[number]

const callerFormats: Readonly<Record<FuzzCaller, ConversationFormat>> = {
  ...formats,
  'ollama-chat': ollamaChatFormat,
  'bedrock-converse': bedrockConverseFormat,
}

export interface AskedOf {
  readonly caller: FuzzCaller
  readonly channel: ChannelFormatId
  readonly isStream: boolean
}

/** The answer that the caller got. */
export interface CallerAnswer {
  readonly outcome: AttemptOutcome
  readonly text: string
  readonly isEnded: boolean
}

const clock = systemClock
const watch = createDeadlineWatch(clock, (source, error) => {
  throw new Error(`${source} threw`, { cause: error })
})
const redactor = createRedactor()
const answerBudget = new AnswerBudget({ heldAnswerBytes: 2 ** 32 })
const answerTurns = new AnswerTurns(clock)
const reasoningContinuity = {
  seal: createReasoningSeal('fuzz-secret-0123456789'),
  cache: new ReasoningCache(clock),
}

/** One attempt of the real pipeline: its lane, reader and writer, without sockets. */
export async function runCall(asked: AskedOf, answer: SentAnswer): Promise<CallerAnswer> {
  let text = ''
  let isEnded = false
  const add = (bytes: Buffer | string) => {
    text += typeof bytes === 'string' ? bytes : bytes.toString('utf8')
  }
  const outcome = await runAttempt({
    lane: openLane(asked),
    request: {
      method: 'POST',
      origin: 'http://upstream.invalid',
      pathAndQuery: '/',
      headers: {},
      body: emptyBody,
      connectTimeoutMs: 1_000,
      allowPrivate: true,
    },
    timeouts: defaultTimeouts,
    isStream: asked.isStream,
    answerHeaders: {},
    durability: { type: 'none' },
    upstream: createSendingUpstream(answer),
    redactor,
    answerBudget,
    answerTurns,
    writer: {
      prepareHead: () => undefined,
      writeStream(bytes) {
        add(bytes)
        return true
      },
      endStream() {
        isEnded = true
      },
      sendWhole({ body }) {
        add(body)
        isEnded = true
      },
    },
    clock,
    callerConnection: { isGone: false, listen: () => undefined },
    watch,
    deadlineAtMs: clock.monotonicMs() + 60_000,
  })
  return { outcome, text, isEnded }
}

/** Opened again for each case, as for each attempt; what was asked is the same and read once. */
function openLane(asked: AskedOf): Lane {
  const { caller, channel } = asked
  const { candidate, provider, exchange, request } = subjectOf(asked)
  const { target } = candidate
  const createdAtSeconds = 1
  const own = formatIds.find((id) => id === caller)
  if (own !== undefined && own === channel) {
    const recordedTarget = () => ({ candidate, account: 'a' })
    const channelFormat = formats[own]
    return openVerbatimLane(exchange, { target, provider, channelFormat, createdAtSeconds, recordedTarget })
  }
  const translation = {
    target,
    provider,
    format: channelFormats[channel],
    createdAtSeconds,
    clock: systemClock,
    reasoningContinuity,
  }
  return runToEnd(openTranslatedLane(exchange, request, translation))
}

type Subject = ReturnType<typeof createSubject>
const subjects = new Map<string, Subject>()

function subjectOf(asked: AskedOf): Subject {
  const name = `${asked.caller} ${asked.channel} ${asked.isStream}`
  const known = subjects.get(name)
  if (known !== undefined) return known
  const subject = createSubject(asked)
  subjects.set(name, subject)
  return subject
}

function createSubject({ caller, channel, isStream }: AskedOf) {
  const candidate = createCandidate({ format: channel, provider: providers[channel] })
  const provider = providerRegistry.find(providers[channel])
  if (provider === undefined) throw new Error(`no provider for ${channel}`)
  const exchange = openExchange(caller, isStream, candidate.target)
  const [request] = exchange.readRequests()
  if (request === undefined) throw new Error('nothing is asked')
  return { candidate, provider, exchange, request }
}

type Target = ReturnType<typeof createCandidate>['target']

function openExchange(
  caller: FuzzCaller,
  isStream: boolean,
  target: Target,
): ForAttempt<ConversationExchange> {
  const format = callerFormats[caller]
  const body = BodyBytes.from([Buffer.from(JSON.stringify(questionOf(caller, isStream)))])
  const hasPathTerms = caller === 'gemini' || caller === 'bedrock-converse'
  const terms = hasPathTerms ? { model: 'm', isStream } : undefined
  const scanned = format.scanRequest(body, terms)
  return {
    kind: 'conversation',
    format,
    callerRequest: {
      type: 'operation',
      requestId: 'req-1',
      format,
      path: '/',
      terms,
      address: '127.0.0.1',
      headers: {},
      query: '',
      body,
      caller: { ...openCaller, permission: readGrant(['m']) },
      startedAtMs: clock.monotonicMs(),
    },
    scanned,
    route: { publicName: 'm', targets: [target], strategy: 'priority-weighted', fallbacks: [] },
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
    readRequests: () => [format.readRequest(parseBody(scanned))],
    readSteps: () => inOneStep(() => undefined),
  }
}

const names = [0, 1, 2, 3, 4].map((number) => `f${number}`)
const schema = { type: 'object', properties: { a: { type: 'string' } } }

function questionOf(caller: FuzzCaller, stream: boolean): object {
  switch (caller) {
    case 'chat': {
      const tools = names.map((name) => ({ type: 'function', function: { name, parameters: schema } }))
      return { model: 'm', stream, tools, messages: [{ role: 'user', content: 'Hi' }] }
    }
    case 'ollama-chat': {
      const tools = names.map((name) => ({ type: 'function', function: { name, parameters: schema } }))
      return { model: 'm', stream, tools, messages: [{ role: 'user', content: 'Hi' }] }
    }
    case 'bedrock-converse': {
      const tools = names.map((name) => ({ toolSpec: { name, inputSchema: { json: schema } } }))
      return { toolConfig: { tools }, messages: [{ role: 'user', content: [{ text: 'Hi' }] }] }
    }
    case 'messages': {
      const tools = names.map((name) => ({ name, input_schema: schema }))
      return { model: 'm', stream, max_tokens: 100, tools, messages: [{ role: 'user', content: 'Hi' }] }
    }
    case 'responses': {
      const tools = names.map((name) => ({ type: 'function', name, parameters: schema }))
      return { model: 'm', stream, tools, input: 'Hi' }
    }
    case 'gemini': {
      const functionDeclarations = names.map((name) => ({ name, parametersJsonSchema: schema }))
      return { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], tools: [{ functionDeclarations }] }
    }
  }
}
