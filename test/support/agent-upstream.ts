import type { FormatId } from '../../src/canonical/format.ts'
import { type AgentTask, playTurn } from './agent/agent-script.ts'
import { type AgentUsage, type Conversation, Refusal } from './agent/conversation.ts'
import { readChatConversation } from './agent/read-chat-conversation.ts'
import { readMessagesConversation } from './agent/read-messages-conversation.ts'
import { writeChatFrames, writeChatReply } from './agent/write-chat-answer.ts'
import { writeMessagesFrames, writeMessagesReply } from './agent/write-messages-answer.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
} from './scripted-upstream.ts'

export const agentUpstreamKey = 'sk-upstream-0123456789abcdef'

/** One request, in the order of arrival, and what became of it. */
export interface AgentExchange {
  readonly request: RecordedRequest
  readonly status: number
  /** Undefined where the request was answered. */
  readonly refusal: string | undefined
  readonly conversation: Conversation | undefined
  readonly usage: AgentUsage | undefined
}

export interface AgentUpstream extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string
  readonly exchanges: readonly AgentExchange[]
}

interface Speech {
  readonly countsCacheWrites: boolean
  readonly paths: readonly string[]
  isKnown(request: RecordedRequest): boolean
  read(request: RecordedRequest): Conversation
  readonly writeReply: typeof writeChatReply
  readonly writeFrames: typeof writeChatFrames
  writeError(message: string, status: number): object
}

const speeches: Readonly<Record<FormatId, Speech>> = {
  chat: {
    countsCacheWrites: false,
    paths: ['/v1/chat/completions'],
    isKnown: ({ headers }) => headers.authorization === `Bearer ${agentUpstreamKey}`,
    read: ({ body }) => readChatConversation(parseBody(body)),
    writeReply: writeChatReply,
    writeFrames: writeChatFrames,
    writeError: (message) => ({
      error: { message, type: 'invalid_request_error', param: null, code: null },
    }),
  },
  messages: {
    countsCacheWrites: true,
    paths: ['/v1/messages', '/v1/messages?beta=true'],
    isKnown: ({ headers }) =>
      headers['x-api-key'] === agentUpstreamKey && headers['anthropic-version'] === '2023-06-01',
    read: ({ body, headers }) =>
      readMessagesConversation(parseBody(body), String(headers['anthropic-beta'] ?? '')),
    writeReply: writeMessagesReply,
    writeFrames: writeMessagesFrames,
    writeError: (message, status) => ({
      type: 'error',
      error: { type: status === 404 ? 'not_found_error' : 'invalid_request_error', message },
      request_id: 'req_agent',
    }),
  },
}

/**
 * A real HTTP server that speaks one format alone, refuses what the real service refuses, and plays a model that reads
 * two files in one step and writes a third.
 */
export async function openAgentUpstream(format: FormatId, task: AgentTask): Promise<AgentUpstream> {
  const speech = speeches[format]
  const exchanges: AgentExchange[] = []
  const server = await openScriptedUpstream((request, index) => {
    const { exchange, answer } = answerRequest(request, { speech, task, id: `agent${index}` })
    exchanges.push(exchange)
    return answer
  })
  return { origin: server.origin, exchanges, [Symbol.asyncDispose]: () => server.close() }
}

function answerRequest(
  request: RecordedRequest,
  { speech, task, id }: { readonly speech: Speech; readonly task: AgentTask; readonly id: string },
): { readonly exchange: AgentExchange; readonly answer: ScriptedAnswer } {
  try {
    if (!speech.paths.includes(request.path)) throw new Refusal(`no such path: ${request.path}`, 404)
    if (!speech.isKnown(request)) throw new Refusal('the credential or the version header is wrong', 401)
    const conversation = speech.read(request)
    const turn = playTurn(conversation, task)
    const usage = countUsage(request, JSON.stringify(turn), speech.countsCacheWrites)
    const whole = { ...turn, id, usage }
    const answer = conversation.isStream
      ? streamAnswer(speech.writeFrames(whole, conversation))
      : jsonAnswer(speech.writeReply(whole, conversation))
    return { exchange: { request, status: 200, refusal: undefined, conversation, usage }, answer }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, message } = error
    const exchange = { request, status, refusal: message, conversation: undefined, usage: undefined }
    return { exchange, answer: jsonAnswer(speech.writeError(message, status), status) }
  }
}

function streamAnswer(chunks: readonly string[]): ScriptedAnswer {
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, chunks }
}

/** A plausible count with every class in it that the format has. */
function countUsage({ body }: RecordedRequest, output: string, countsCacheWrites: boolean): AgentUsage {
  const input = Math.ceil(body.length / 4)
  const cacheRead = Math.floor(input / 2)
  const cacheWrite = countsCacheWrites ? Math.floor(input / 4) : 0
  return {
    freshInput: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: Math.ceil(output.length / 4),
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal('the body is not JSON')
  }
}
