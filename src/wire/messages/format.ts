import { inOneStep } from '../../kit/async/steps.ts'
import type { WireFormat } from '../wire-format.ts'
import { readError } from './errors/read-error.ts'
import { writeError, writeErrorEvent } from './errors/write-error.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter, eventUsagePath, terminator } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { paramOf, possibleLosses } from './request/possible-losses.ts'
import { readRequest, readRequestInSteps } from './request/read-request.ts'
import { writeRequest, writeRequestInSteps } from './request/write-request.ts'
import { writeLimitHeaders } from './values/write-limit-headers.ts'
import { forwardQuery } from './verbatim/forward-query.ts'
import { readCallerLabels, readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'
import { setOutputCap } from './verbatim/set-output-cap.ts'
import { spliceRequest } from './verbatim/splice-request.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** Anthropic's Messages API. A channel's base URL is the host without `/v1`, as in the official SDK. */
export const messagesFormat: WireFormat = {
  id: 'messages',
  kind: 'conversation',
  family: 'messages',
  path: '/v1/messages',
  // The names of betas are an open list. They are part of the format: without the header an upstream refuses the body.
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
  forwardQuery,
  readRequest,
  readRequestInSteps,
  writeRequest,
  writeRequestInSteps,
  readReply,
  readReplyInSteps: (body) => inOneStep(() => readReply(body)),
  writeReply,
  createStreamReader,
  createStreamWriter,
  paramOf,
  possibleLosses,
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  setOutputCap,
  spliceRequest,
  // A stream of this format always carries usage.
  asksForUsage: () => true,
  createStreamWatcher,
  watchReply,
  usagePath: ['usage'],
  eventUsagePath,
  writeError,
  writeErrorEvent,
  readError,
  requestIdHeader: 'request-id',
  heartbeat: 'event: ping\ndata: {"type": "ping"}\n\n',
  writeLimitHeaders,
  terminator,
}
