import { inOneStep } from '../../kit/async/steps.ts'
import { eventUsagePath, openAiFrames, terminator } from '../openai/format-frames.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import { asksForUsage, spliceRequest } from '../openai/verbatim/splice-request.ts'
import type { ConversationFormat } from '../wire-format.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { paramOf } from './request/possible-losses.ts'
import { readRequest, readRequests } from './request/read-request.ts'
import { readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'
import { setOutputCap } from './verbatim/set-output-cap.ts'
import { createStreamWatcher } from './verbatim/stream-watcher.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/**
 * OpenAI's completions, which continue a prompt (https://platform.openai.com/docs/api-reference/completions, seen
 * 2026-11-20).
 */
export const completionsFormat: ConversationFormat = {
  id: 'completions',
  kind: 'conversation',
  family: 'chat',
  path: '/completions',
  isTextAlone: true,
  extraEndpoint: 'completions',
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  setOutputCap,
  spliceRequest,
  asksForUsage,
  createStreamWatcher,
  watchReply,
  usagePath: ['usage'],
  eventUsagePath,
  readRequest,
  readRequestInSteps: (body) => inOneStep(() => readRequest(body)),
  readRequests,
  readReply,
  readReplyInSteps: (body) => inOneStep(() => readReply(body)),
  writeReply,
  createStreamWriter,
  terminator,
  paramOf,
  ...openAiFrames,
}
