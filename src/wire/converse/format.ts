import { inOneStep } from '../../kit/async/steps.ts'
import type { ChannelFormat } from '../wire-format.ts'
import { readError } from './errors/read-error.ts'
import { readReply, watchReply } from './reply/read-reply.ts'
import { createStreamReader } from './reply/stream-reader.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { writeRequest, writeRequestInSteps } from './request/write-request.ts'

/**
 * Amazon Bedrock's Converse (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and
 * …_ConverseStream.html, seen 2026-11-20). A channel's base URL is only the host. The path contains the model, which
 * may be an ARN, and selects streaming.
 */
export const converseFormat: ChannelFormat = {
  id: 'converse',
  path: ({ model, isStream }) => `/model/${encodeURIComponent(model)}/converse${isStream ? '-stream' : ''}`,
  writeRequest,
  writeRequestInSteps,
  readReply,
  readReplyInSteps: (body) => inOneStep(() => readReply(body)),
  watchReply,
  createStreamReader,
  needsBytes: () => true,
  readError,
  possibleLosses,
}
