import type { EmbeddingRequest } from '../../canonical/embedding.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { createLossList, type Written } from '../../canonical/loss.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { loseExtras } from '../fields/extras.ts'
import type { ChannelEmbeddings } from '../wire-format.ts'
import { readReply } from './reply/read-reply.ts'
import { writeRequest as writeOwnRequest } from './request/write-request.ts'

/** OpenAI's embeddings, for callers of other formats. */
export const channelEmbeddings: ChannelEmbeddings = { path: '/embeddings', writeRequest, readReply }

function writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject> {
  const losses = createLossList()
  if (request.extras?.format !== 'embeddings') loseExtras(request.extras, { losses, path: '' })
  if (request.inputs.every(({ type }) => type !== 'opaque')) {
    return { value: writeOwnRequest(request, model), losses: losses.all }
  }
  throw new GatewayError('cannot_be_carried', {
    param: 'content',
    message:
      'The channel for this model makes vectors of texts that are all asked for in the same way. Send text alone, and inputs with settings of their own in requests of their own.',
  })
}
