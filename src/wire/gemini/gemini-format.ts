import type { RequestTerms, WireFormat } from '../wire-format.ts'
import { geminiEmbeddings } from './gemini-embeddings.ts'
import { losable, paramOf } from './loss-params.ts'
import { modelPath } from './model-path.ts'
import { readError } from './read-error.ts'
import { readReply } from './read-reply.ts'
import { readRequest } from './read-request.ts'
import { scanRequest } from './scan-request.ts'
import { spliceRequest } from './splice-request.ts'
import { createStreamReader } from './stream-reader.ts'
import { createStreamWatcher } from './stream-watcher.ts'
import { createStreamWriter, terminator } from './stream-writer.ts'
import { watchReply } from './watch-reply.ts'
import { writeError, writeErrorEvent } from './write-error.ts'
import { writeReply } from './write-reply.ts'
import { writeRequest } from './write-request.ts'

/** Google's Gemini API. A channel's base address ends in the version, such as `/v1beta`. */
export const geminiFormat: WireFormat = {
  id: 'gemini',
  kind: 'conversation',
  family: 'gemini',
  path: pathOf,
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  createStreamReader,
  createStreamWriter,
  paramOf,
  addressParam: 'contents.parts.fileData.fileUri',
  losable,
  scanRequest,
  spliceRequest,
  // Chunks of this format always carry usage.
  asksForUsage: () => true,
  createStreamWatcher,
  watchReply,
  embeddings: geminiEmbeddings,
  writeError,
  writeErrorEvent,
  readError,
  requestIdHeaders: (requestId) => ({ 'x-request-id': requestId }),
  heartbeat: ': heartbeat\n\n',
  terminator,
}

function pathOf({ model, stream }: RequestTerms): string {
  return modelPath(model) + (stream ? ':streamGenerateContent?alt=sse' : ':generateContent')
}
