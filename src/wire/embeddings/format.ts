import type { EmbeddingRequest } from '../../canonical/embedding.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { createLossList, type Written } from '../../canonical/loss.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { loseExtras } from '../fields/extras.ts'
import { openAiFrames } from '../openai/format-frames.ts'
import { readCallerLabels } from '../openai/verbatim/read-caller-labels.ts'
import type { EmbeddingFormat } from '../operations/embedding-format.ts'
import { replaceModel } from '../verbatim/replace-model.ts'
import type { ChannelEmbeddings } from '../wire-format.ts'
import { readReply } from './reply/read-reply.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'
import { readSpendingTerms } from './verbatim/read-spending-terms.ts'
import { scanRequest } from './verbatim/scan-request.ts'
import { watchReply } from './verbatim/watch-reply.ts'

/** OpenAI's embeddings (https://platform.openai.com/docs/api-reference/embeddings, seen 2026-11-20). */
export const embeddingsFormat: EmbeddingFormat = {
  id: 'embeddings',
  kind: 'embedding',
  family: 'chat',
  path: '/embeddings',
  scanRequest,
  readSpendingTerms,
  readCallerLabels,
  spliceRequest: replaceModel,
  readRequest,
  writeRequest,
  readReply,
  writeReply,
  watchReply,
  usagePath: ['usage'],
  ...openAiFrames,
  // The loss has the caller's own name for the field.
  paramOf: ({ feature, field }) => field ?? (feature === 'end-user' ? 'user' : 'input'),
}

/** OpenAI's embeddings as a channel format, for callers of other formats. */
export const channelEmbeddings: ChannelEmbeddings = {
  path: '/embeddings',
  writeRequest: writeForChannel,
  readReply,
}

function writeForChannel(request: EmbeddingRequest, model: string): Written<JsonObject> {
  const losses = createLossList()
  if (request.extras?.format !== 'embeddings') loseExtras(request.extras, { losses, path: '' })
  if (request.inputs.every(({ type }) => type !== 'opaque')) {
    return { value: writeRequest(request, model), losses: losses.all }
  }
  throw new GatewayError('cannot_be_carried', {
    param: 'content',
    message:
      'The channel for this model makes vectors of texts that are all asked for in the same way. Send text alone, and inputs with settings of their own in requests of their own.',
  })
}
