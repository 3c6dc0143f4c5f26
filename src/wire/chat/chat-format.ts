import { channelEmbeddings } from '../embeddings/channel-embeddings.ts'
import type { WireFormat } from '../wire-format.ts'
import { losable, paramOf } from './loss-params.ts'
import { readError } from './read-error.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { answerFormOf, asksForUsage, scanRequest } from './scan-request.ts'
import { spliceRequest } from './splice-request.ts'
import { createStreamReader } from './stream-reader.ts'
import { createStreamWatcher } from './stream-watcher.ts'
import { createStreamWriter, terminator } from './stream-writer.ts'
import { watchReply } from './watch-reply.ts'
import { writeError, writeErrorEvent } from './write-error.ts'
import { writeReply } from './write-reply.ts'
import { writeRequest } from './write-request.ts'

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
  losable,
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
