import { readError } from '../chat/read-error.ts'
import type { ChannelFormat } from '../wire-format.ts'
import { cohereEmbeddings } from './cohere-embeddings.ts'
import { losable } from './losable.ts'
import { readReply } from './read-reply.ts'
import { createStreamReader } from './stream-reader.ts'
import { writeRequest } from './write-request.ts'

/**
 * Cohere's chat, version 2 (https://docs.cohere.com/reference/chat and …/chat-stream, seen 2026-11-20). A channel's
 * base address is the host alone.
 */
export const cohereFormat: ChannelFormat = {
  id: 'cohere',
  path: '/v2/chat',
  writeRequest,
  readReply,
  createStreamReader,
  readError,
  wantsReasoningBack: () => true,
  losable,
  embeddings: cohereEmbeddings,
}
