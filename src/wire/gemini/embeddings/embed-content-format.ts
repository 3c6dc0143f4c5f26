import type { EmbeddingReply, EmbeddingRequest } from '../../../canonical/embedding.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { requireString } from '../../fields/read-field.ts'
import { toNumbers } from '../../fields/vectors.ts'
import type { EmbeddingFormat } from '../../operations/embedding-format.ts'
import { membersOfFamily } from '../../operations/members-of-family.ts'
import { spliceBody } from '../../verbatim/scan-body.ts'
import type { Edit, ScannedRequest } from '../../wire-format.ts'
import { geminiFormat } from '../format.ts'
import { readInner } from '../request/read-inner.ts'
import { toExtras } from '../values/extras.ts'
import { modelName, modelPath } from '../values/model-path.ts'
import { isSettings, nameSettings } from '../values/name-model.ts'
import { writeCounts } from '../values/write-counts.ts'
import { readEmbeddingTerms } from '../verbatim/read-spending-terms.ts'
import { createTermsScan } from '../verbatim/scan-terms.ts'
import { watchVectors } from '../verbatim/watch-vectors.ts'
import { embedFields, readEmbeddingEntry, writeEntry } from './embedding-fields.ts'
import { geminiEmbeddings } from './gemini-embeddings.ts'

const fields = Object.keys(embedFields)

/**
 * Gemini's embedding of one content (https://ai.google.dev/api/embeddings#method:-models.embedcontent, seen
 * 2026-11-20).
 */
export const embedContentFormat: EmbeddingFormat = {
  id: 'embed-content',
  kind: 'embedding',
  family: 'gemini',
  ...membersOfFamily(geminiFormat),
  path: ({ model }) => `${modelPath(model)}:embedContent`,
  scanRequest: createTermsScan({ fields, required: ['content'] }),
  readSpendingTerms: readEmbeddingTerms,
  spliceRequest,
  readRequest,
  writeRequest,
  readReply: geminiEmbeddings.readReply,
  writeReply,
  watchReply: watchVectors,
  usagePath: ['usageMetadata'],
}

/** The path names the model. If the body or its settings name a model, it must be the same. */
function spliceRequest(scanned: ScannedRequest, { model }: { readonly model: string }): readonly Buffer[] {
  const edits: Edit[] = []
  for (const field of scanned.fields.values()) {
    const { name, valueStart: start, valueEnd: end } = field
    if (name === 'model') edits.push({ start, end, text: JSON.stringify(modelName(model)) })
    const settings = isSettings(name) ? readInner(scanned, field) : undefined
    if (!isJsonObject(settings)) continue
    const text = JSON.stringify(nameSettings(settings, { fields, path: name, model }))
    if (text !== JSON.stringify(settings)) edits.push({ start, end, text })
  }
  return spliceBody(scanned.body, edits)
}

function readRequest(body: JsonObject): EmbeddingRequest {
  const { model: _model, stream: _stream, ...entry } = body
  const { input, dimensions, fields } = readEmbeddingEntry(entry, '')
  return omitUndefined({
    model: requireString(body, 'model', ''),
    inputs: [input],
    dimensions,
    // The format has no encoding but plain numbers.
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
