import { inOneStep } from '../../kit/async/steps.ts'
import type { ChannelFormat } from '../wire-format.ts'
import { cohereEmbeddings } from './cohere-embeddings.ts'
import { readError } from './errors/read-error.ts'
import { readReply, watchReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { writeRequest, writeRequestInSteps } from './request/write-request.ts'

/**
 * Cohere's chat, version 2 (https://docs.cohere.com/reference/chat and …/chat-stream, seen 2026-11-20). A channel's
 * base URL is only the host.
 */
export const cohereFormat: ChannelFormat = {
  id: 'cohere',
  path: '/v2/chat',
  writeRequest,
  writeRequestInSteps,
  readReply,
  readReplyInSteps: (body) => inOneStep(() => readReply(body)),
  watchReply,
  createStreamReader,
  readError,
  wantsReasoningBack: () => true,
  possibleLosses,
  embeddings: cohereEmbeddings,
}
