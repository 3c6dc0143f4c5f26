import type { EmbeddingReply, EmbeddingRequest, Vector } from '../../../canonical/embedding.ts'
import type { Failure } from '../../../canonical/failure.ts'
import { createLossList, type Written } from '../../../canonical/loss.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { ChannelEmbeddings } from '../../wire-format.ts'
import { readReply as readTexts } from '../reply/read-reply.ts'
import { textOfInput } from './text-of-input.ts'

/**
 * Perplexity's embeddings. The fields are those of the format, but vectors are always bytes in base64, with one signed
 * number in each byte. Clients of the format expect floats (https://docs.perplexity.ai/api-reference/embeddings-post,
 * seen 2026-11-22).
 */
export const int8Embeddings: ChannelEmbeddings = { path: '/v1/embeddings', writeRequest, readReply }

const ENCODING = 'base64_int8'

function writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject> {
  const { inputs, dimensions, endUser, extras } = request
  const losses = createLossList()
  if (endUser !== undefined) losses.lose('end-user', 'dropped')
  for (const field of Object.keys(extras?.fields ?? {})) {
    losses.lose('foreign-field', 'dropped', field)
  }
  const input = inputs.map(textOfInput)
  return { value: omitUndefined({ model, input, encoding_format: ENCODING, dimensions }), losses: losses.all }
}

/** Reads a reply. Never throws: a reply that is not a list of vectors becomes a failure. */
function readReply(body: JsonValue): EmbeddingReply | Failure {
  const reply = readTexts(body)
  return 'vectors' in reply ? { ...reply, vectors: reply.vectors.map(toFloats) } : reply
}

function toFloats(vector: Vector): Vector {
  if (vector.encoding === 'float') return vector
  const bytes = Buffer.from(vector.data, 'base64')
  return { encoding: 'float', values: [...new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)] }
}
