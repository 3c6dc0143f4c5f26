import { forwardedHeaders } from '../openai/format-frames.ts'
import { writeLimitHeaders } from '../openai/values/write-limit-headers.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import type { WireFormat } from '../wire-format.ts'
import { readError } from './errors/read-error.ts'
import { writeError, writeErrorEvent } from './errors/write-error.ts'
import { readReply, readReplyInSteps } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter, eventUsagePath, terminator } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { paramOf, possibleLosses } from './request/possible-losses.ts'
import { readRequest, readRequestInSteps } from './request/read-request.ts'
import { writeRequest, writeRequestInSteps } from './request/write-request.ts'
import { isBackground, readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { answerFormOf, scanRequest } from './verbatim/scan-request.ts'
import { setOutputCap } from './verbatim/set-output-cap.ts'
import { spliceRequest } from './verbatim/splice-request.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** OpenAI's Responses API. A channel's base URL ends in `/v1`, as in the official SDK. */
export const responsesFormat: WireFormat = {
  id: 'responses',
  kind: 'conversation',
  family: 'responses',
  continuesResponses: true,
  path: '/responses',
  forwardedHeaders,
  readRequest,
  readRequestInSteps,
  writeRequest,
  writeRequestInSteps,
  readReply,
  readReplyInSteps,
  writeReply,
  createStreamReader,
  createStreamWriter,
  paramOf,
  possibleLosses,
  scanRequest,
  answerFormOf,
  readSpendingTerms,
  isBackground,
  readCallerLabels,
  setOutputCap,
  spliceRequest,
  // The event that ends a stream of this format always carries usage.
  asksForUsage: () => true,
  createStreamWatcher,
  watchReply,
  usagePath: ['usage'],
  eventUsagePath,
  writeError,
  writeErrorEvent,
  numbersEvents: true,
  readError,
  requestIdHeader: 'x-request-id',
  heartbeat: ': heartbeat\n\n',
  writeLimitHeaders,
  terminator,
}
