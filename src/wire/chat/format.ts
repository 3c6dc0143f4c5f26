import { channelEmbeddings } from '../embeddings/channel-embeddings.ts'
import { readError } from '../errors/read-error.ts'
import { writeError, writeErrorEvent } from '../errors/write-error.ts'
import type { WireFormat } from '../wire-format.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter, terminator } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { paramOf, possibleLosses } from './request/possible-losses.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'
import { answerFormOf, asksForUsage, scanRequest } from './verbatim/scan-request.ts'
import { spliceRequest } from './verbatim/splice-request.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** OpenAI's chat completions format (https://platform.openai.com/docs/api-reference/chat, seen 2026-11-20). */
export const chatFormat: WireFormat = {
  id: 'chat',
  kind: 'conversation',
  family: 'chat',
  path: '/chat/completions',
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  createStreamReader,
  createStreamWriter,
  needsBytes: (kind, dialect) =>
    !dialect.mediaAddresses.includes(kind) || (kind === 'document' && dialect.documents === 'file'),
  paramOf,
  possibleLosses,
  scanRequest,
  spliceRequest,
  asksForUsage,
  answerFormOf,
  createStreamWatcher,
  watchReply,
  writeError,
  writeErrorEvent,
  readError,
  wantsReasoningBack: ({ reasoningReplay }) => reasoningReplay !== 'none',
  requestIdHeaders: (requestId) => ({ 'x-request-id': requestId }),
  heartbeat: ': heartbeat\n\n',
  terminator,
  embeddings: channelEmbeddings,
}
