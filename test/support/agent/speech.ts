import { jsonAnswer, type RecordedRequest, type ScriptedAnswer } from '../scripted-upstream.ts'
import {
  type AgentAnswer,
  type AgentTurn,
  type AgentUsage,
  type Conversation,
  Refusal,
} from './conversation.ts'
import { readChatConversation } from './read-chat-conversation.ts'
import { readMessagesConversation } from './read-messages-conversation.ts'
import { writeChatFrames, writeChatReply } from './write-chat-answer.ts'
import { writeMessagesFrames, writeMessagesReply } from './write-messages-answer.ts'

export const upstreamKey = 'sk-upstream-0123456789abcdef'

/** Clients name the day of the version that they know; all of them are accepted. */
const versions = /^20\d\d-\d\d-\d\d$/

/** The formats that the strict upstream speaks. */
export const agentFormats = ['chat', 'messages'] as const
export type AgentFormat = (typeof agentFormats)[number]

/** The way in which a service of one format is asked, and in which it answers. */
export interface Speech {
  readonly countsCacheWrites: boolean
  readonly paths: readonly string[]
  isKnown(request: RecordedRequest): boolean
  read(request: RecordedRequest): Conversation
  readonly writeReply: typeof writeChatReply
  readonly writeFrames: typeof writeChatFrames
  writeError(refusal: Refusal): object
}

/** The types by status; all other statuses are faults of the request. */
const chatErrorTypes: Readonly<Record<number, string>> = { 429: 'requests', 500: 'server_error' }
const messagesErrorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
}

export const speeches: Readonly<Record<AgentFormat, Speech>> = {
  chat: {
    countsCacheWrites: false,
    paths: ['/v1/chat/completions'],
    isKnown: ({ headers }) => headers.authorization === `Bearer ${upstreamKey}`,
    read: ({ body }) => readChatConversation(parseBody(body)),
    writeReply: writeChatReply,
    writeFrames: writeChatFrames,
    writeError: ({ message, status }) => ({
      error: { message, type: chatErrorTypes[status] ?? 'invalid_request_error', param: null, code: null },
    }),
  },
  messages: {
    countsCacheWrites: true,
    paths: ['/v1/messages', '/v1/messages?beta=true'],
    isKnown: ({ headers }) =>
      headers['x-api-key'] === upstreamKey && versions.test(String(headers['anthropic-version'])),
    read: ({ body, headers }) =>
      readMessagesConversation(parseBody(body), String(headers['anthropic-beta'] ?? '')),
    writeReply: writeMessagesReply,
    writeFrames: writeMessagesFrames,
    writeError: ({ message, status, details }) => ({
      type: 'error',
      error: { type: messagesErrorTypes[status] ?? 'invalid_request_error', message, details },
      request_id: 'req_agent',
    }),
  },
}

/** Reads a request as the service would. Throws `Refusal`. */
export function readStrictly(speech: Speech, request: RecordedRequest): Conversation {
  if (!speech.paths.includes(request.path))
    throw new Refusal(`no such path: ${request.path}`, { status: 404 })
  if (!speech.isKnown(request))
    throw new Refusal('the credential or the version header is wrong', { status: 401 })
  return speech.read(request)
}

export function writeAnswer(speech: Speech, answer: AgentAnswer, conversation: Conversation): ScriptedAnswer {
  if (!conversation.isStream) return jsonAnswer(speech.writeReply(answer, conversation))
  const chunks = speech.writeFrames(answer, conversation)
  return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, chunks }
}

/** Answers one request of a format as strictly as the service itself. */
export function answerStrictly(
  format: AgentFormat,
  request: RecordedRequest,
  said: Partial<AgentTurn> & { readonly usage?: AgentUsage },
): ScriptedAnswer {
  const speech = speeches[format]
  try {
    const conversation = readStrictly(speech, request)
    return writeAnswer(speech, { id: 'one', text: '', calls: [], usage: plainUsage, ...said }, conversation)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return jsonAnswer(speech.writeError(error), error.status)
  }
}

/** The usage of an answer where the test says nothing else: 11 tokens in, 4 of them from a cache, 3 out. */
const plainUsage: AgentUsage = { freshInput: 7, cacheRead: 4, cacheWrite: 0, output: 3 }

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal('the body is not JSON')
  }
}
