import { inOneStep } from '../../kit/async/steps.ts'
import { writeLimitHeaders } from '../openai/values/write-limit-headers.ts'
import type { RequestTerms, WireFormat } from '../wire-format.ts'
import { geminiEmbeddings } from './embeddings/gemini-embeddings.ts'
import { readError } from './errors/read-error.ts'
import { writeError, writeErrorEvent } from './errors/write-error.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter, eventUsagePath, terminator } from './reply/stream-writer.ts'
import { writeReply, writeReplyInSteps } from './reply/write-reply.ts'
import { paramOf, possibleLosses } from './request/possible-losses.ts'
import { readRequest, readRequestInSteps } from './request/read-request.ts'
import { writeRequest, writeRequestInSteps } from './request/write-request.ts'
import { modelPath } from './values/model-path.ts'
import { readCallerLabels, readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'
import { setOutputCap } from './verbatim/set-output-cap.ts'
import { spliceRequest } from './verbatim/splice-request.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** Google's Gemini API. A channel's base address ends in the version, such as `/v1beta`. */
export const geminiFormat: WireFormat = {
  id: 'gemini',
  kind: 'conversation',
  family: 'gemini',
  path: joinPath,
  readRequest,
  readRequestInSteps,
  writeRequest,
  writeRequestInSteps,
  readReply,
  readReplyInSteps: (body) => inOneStep(() => readReply(body)),
  writeReply,
  writeReplyInSteps,
  createStreamReader,
  createStreamWriter,
  forwardedHeaders: [],
  paramOf,
  addressParam: 'contents.parts.fileData.fileUri',
  possibleLosses,
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  setOutputCap,
  spliceRequest,
  // Chunks of this format always carry usage.
  asksForUsage: () => true,
  createStreamWatcher,
  watchReply,
  usagePath: ['usageMetadata'],
  eventUsagePath,
  embeddings: geminiEmbeddings,
  writeError,
  writeErrorEvent,
  readError,
  requestIdHeader: 'x-request-id',
  // A comment would be an error for Google's clients for Python and Go, which read every line that is not blank.
  heartbeat: '\n',
  writeLimitHeaders,
  terminator,
}

function joinPath({ model, isStream }: RequestTerms): string {
  return modelPath(model) + (isStream ? ':streamGenerateContent?alt=sse' : ':generateContent')
}
