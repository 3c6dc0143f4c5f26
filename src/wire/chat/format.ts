import { inOneStep } from '../../kit/async/steps.ts'
import { eventUsagePath, openAiFrames, terminator } from '../openai/format-frames.ts'
import { findStatedUsage } from '../openai/values/read-usage.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import { asksForUsage, spliceRequest } from '../openai/verbatim/splice-request.ts'
import type { WireFormat } from '../wire-format.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { paramOf, possibleLosses } from './request/possible-losses.ts'
import { readRequest, readRequestInSteps } from './request/read-request.ts'
import { writeRequest, writeRequestInSteps } from './request/write-request.ts'
import { readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { answerFormOf, scanRequest } from './verbatim/scan-request.ts'
import { setOutputCap } from './verbatim/set-output-cap.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** OpenAI's chat completions format (https://platform.openai.com/docs/api-reference/chat, seen 2026-11-20). */
export const chatFormat: WireFormat = {
  id: 'chat',
  kind: 'conversation',
  family: 'chat',
  path: '/chat/completions',
  readRequest,
  readRequestInSteps,
  writeRequest,
  writeRequestInSteps,
  readReply,
  readReplyInSteps: (body) => inOneStep(() => readReply(body)),
  writeReply,
  createStreamReader,
  createStreamWriter,
  needsBytes: (kind, dialect) =>
    !dialect.mediaAddresses.includes(kind) || (kind === 'document' && dialect.documents === 'file'),
  paramOf,
  possibleLosses,
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  setOutputCap,
  spliceRequest,
  asksForUsage,
  answerFormOf,
  createStreamWatcher,
  findStatedUsage,
  watchReply,
  usagePath: ['usage'],
  eventUsagePath,
  ...openAiFrames,
  wantsReasoningBack: ({ reasoningReplay }) => reasoningReplay !== 'none',
  terminator,
}
