import { chatFormat } from '../chat/chat-format.ts'
import type { ConversationFormat } from '../wire-format.ts'
import { paramOf } from './loss-params.ts'
import { readReply } from './read-reply.ts'
import { readRequest, readRequests } from './read-request.ts'
import { scanRequest } from './scan-request.ts'
import { createStreamWatcher } from './stream-watcher.ts'
import { createStreamWriter } from './stream-writer.ts'
import { watchReply } from './watch-reply.ts'
import { writeReply } from './write-reply.ts'

const { spliceRequest, asksForUsage, terminator, heartbeat } = chatFormat
const { readError, writeError, writeErrorEvent, requestIdHeaders } = chatFormat

/** OpenAI's completions of a prompt (https://platform.openai.com/docs/api-reference/completions, seen 2026-11-20). */
export const completionsFormat: ConversationFormat = {
  id: 'completions',
  kind: 'conversation',
  family: 'chat',
  path: '/completions',
  scanRequest,
  spliceRequest,
  asksForUsage,
  createStreamWatcher,
  watchReply,
  readRequest,
  readRequests,
  readReply,
  writeReply,
  createStreamWriter,
  terminator,
  paramOf,
  readError,
  writeError,
  writeErrorEvent,
  requestIdHeaders,
  heartbeat,
}
