import type { EmbeddingReply, EmbeddingRequest } from '../../canonical/embedding.ts'
import type { JsonObject } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import { requireString } from '../chat/read-field.ts'
import type { EmbeddingFormat } from '../embedding-format.ts'
import { toNumbers } from '../embeddings/to-numbers.ts'
import { embedFields, readEntry, writeEntry } from '../gemini/embedding-fields.ts'
import { toExtras } from '../gemini/extras.ts'
import { geminiEmbeddings } from '../gemini/gemini-embeddings.ts'
import { geminiFormat } from '../gemini/gemini-format.ts'
import { modelPath } from '../gemini/model-path.ts'
import { createTermsScan } from '../gemini/scan-terms.ts'
import { spliceRequest } from '../gemini/splice-request.ts'
import { watchVectors } from '../gemini/watch-vectors.ts'
import { writeCounts } from '../gemini/write-counts.ts'

const { writeError, writeErrorEvent, readError, requestIdHeaders, heartbeat, paramOf } = geminiFormat

/** Gemini's embedding of one content (https://ai.google.dev/api/embeddings#method:-models.embedcontent, seen 2026-11-20). */
export const embedContentFormat: EmbeddingFormat = {
  id: 'embed-content',
  kind: 'embedding',
  family: 'gemini',
  path: ({ model }) => `${modelPath(model)}:embedContent`,
  scanRequest: createTermsScan({ fields: Object.keys(embedFields), required: ['content'] }),
  spliceRequest,
  readRequest,
  writeRequest,
  readReply: geminiEmbeddings.readReply,
  writeReply,
  watchReply: watchVectors,
  writeError,
  writeErrorEvent,
  readError,
  requestIdHeaders,
  heartbeat,
  paramOf,
}

function readRequest(body: JsonObject): EmbeddingRequest {
  const { model: _model, stream: _stream, ...entry } = body
  const { input, dimensions, fields } = readEntry(entry, '')
  return omitUndefined({
    model: requireString(body, 'model', ''),
    inputs: [input],
    dimensions,
    // The format has numbers alone.
    encoding: 'float' as const,
    ...toExtras(fields),
  })
}

function writeRequest(request: EmbeddingRequest, model: string): JsonObject {
  const [input = { type: 'text' as const, text: '' }] = request.inputs
  return writeEntry(input, request, model)
}

function writeReply({ vectors, usage }: EmbeddingReply): JsonObject {
  const [vector] = vectors
  return {
    embedding: { values: vector === undefined ? [] : [...toNumbers(vector)] },
    ...(usage === undefined ? {} : { usageMetadata: writeCounts(usage) }),
  }
}
