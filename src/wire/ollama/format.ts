import type { OperationId } from '../../canonical/format.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { inOneStep, type Steps } from '../../kit/async/steps.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { writeLimitHeaders } from '../openai/values/write-limit-headers.ts'
import { noChannel } from '../verbatim/no-channel.ts'
import type { ConversationFormat, FormatFrames } from '../wire-format.ts'
import { writeError, writeErrorEvent } from './errors/write-error.ts'
import { type AnswerShape, chatShape, generateShape } from './reply/answer-shape.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { usagePath } from './reply/write-end.ts'
import { writeReply } from './reply/write-reply.ts'
import { paramOf } from './request/possible-losses.ts'
import { readChat, readChatInSteps, readGenerate } from './request/read-request.ts'
import { otherNameOf } from './values/other-name-of.ts'
import { readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'

/** The form of all of Ollama's answers, which are lines of JSON. */
export const ollamaFrames: FormatFrames = {
  writeError,
  writeErrorEvent,
  requestIdHeader: 'x-request-id',
  streamType: 'application/x-ndjson',
  // White space before the next line. An empty line would be an error for clients.
  heartbeat: ' ',
  writeLimitHeaders,
}

interface OllamaOperation {
  readonly id: OperationId
  readonly shape: AnswerShape
  readRequest(body: JsonObject): ChatRequest
  readRequestInSteps(body: JsonObject): Steps<ChatRequest>
}

/** Ollama's `/api/chat` (https://docs.ollama.com/api/chat, seen 2026-11-25). Only callers speak this format. */
export const ollamaChatFormat = createFormat({
  id: 'ollama-chat',
  shape: chatShape,
  readRequest: readChat,
  readRequestInSteps: readChatInSteps,
})

/** Ollama's `/api/generate` (https://docs.ollama.com/api/generate, seen 2026-11-25). */
export const ollamaGenerateFormat = createFormat({
  id: 'ollama-generate',
  shape: generateShape,
  readRequest: readGenerate,
  readRequestInSteps: (body) => inOneStep(() => readGenerate(body)),
})

function createFormat({ id, shape, readRequest, readRequestInSteps }: OllamaOperation): ConversationFormat {
  return {
    id,
    kind: 'conversation',
    family: 'ollama',
    ...noChannel,
    scanRequest,
    otherNameOf,
    readSpendingTerms,
    // The format has no fields for an end user or for tags.
    readCallerLabels: () => ({ endUser: undefined, tags: {} }),
    readRequest,
    readRequestInSteps,
    writeReply: (reply, form) => writeReply(shape, reply, form),
    createStreamWriter: (options) => createStreamWriter(shape, options),
    statesTimes: true,
    // The official client for Python does (0.6.3).
    dropsCallIds: true,
    // The last line always contains the counts.
    asksForUsage: () => true,
    usagePath,
    eventUsagePath: usagePath,
    terminator: '',
    paramOf,
    ...ollamaFrames,
  }
}
