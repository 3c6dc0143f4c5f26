import { chatFormat } from '../chat/chat-format.ts'
import type { EmbeddingFormat } from '../embedding-format.ts'
import { replaceModel } from '../replace-model.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { scanRequest } from './scan-request.ts'
import { watchReply } from './watch-reply.ts'
import { writeReply } from './write-reply.ts'
import { writeRequest } from './write-request.ts'

const { writeError, writeErrorEvent, readError, requestIdHeaders, heartbeat, paramOf } = chatFormat

/** OpenAI's embeddings (https://platform.openai.com/docs/api-reference/embeddings, seen 2026-11-20). */
export const embeddingsFormat: EmbeddingFormat = {
  id: 'embeddings',
  kind: 'embedding',
  family: 'chat',
  path: '/embeddings',
  scanRequest,
  spliceRequest: replaceModel,
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  watchReply,
  writeError,
  writeErrorEvent,
  readError,
  requestIdHeaders,
  heartbeat,
  paramOf,
}
