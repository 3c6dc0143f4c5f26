import { EVENT_STREAM_TYPE } from '../../kit/sse/event-stream-encoder.ts'
import { writeLimitHeaders } from '../openai/values/write-limit-headers.ts'
import { noChannel } from '../verbatim/no-channel.ts'
import type { ConversationFormat } from '../wire-format.ts'
import { writeError, writeErrorEvent } from './errors/write-error.ts'
import { createStreamWriter, eventUsagePath } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { paramOf } from './request/caller-losses.ts'
import { readRequest, readRequestInSteps } from './request/read-request.ts'
import { readCallerLabels, readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'

/**
 * Amazon Bedrock's Converse for callers. Requests are translated for every channel, even for channels of the same
 * format: see decision 0039.
 */
export const bedrockConverseFormat: ConversationFormat = {
  id: 'bedrock-converse',
  kind: 'conversation',
  family: 'converse',
  ...noChannel,
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  readRequest,
  readRequestInSteps,
  writeReply,
  createStreamWriter,
  statesTimes: true,
  // The last event of a stream always has the usage.
  asksForUsage: () => true,
  usagePath: ['usage'],
  eventUsagePath,
  terminator: '',
  paramOf,
  writeError,
  writeErrorEvent,
  requestIdHeader: 'x-amzn-requestid',
  streamType: EVENT_STREAM_TYPE,
  // Some clients fail on an unknown event, so no heartbeat is sent.
  heartbeat: '',
  writeLimitHeaders,
}
