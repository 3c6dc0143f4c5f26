import type { EmbeddingReply, EmbeddingRequest } from '../../../canonical/embedding.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { asObject, invalidField, readArray, requireString } from '../../fields/read-field.ts'
import { toNumbers } from '../../fields/vectors.ts'
import type { EmbeddingFormat } from '../../operations/embedding-format.ts'
import { membersOfFamily } from '../../operations/members-of-family.ts'
import { setField, spliceBody } from '../../verbatim/scan-body.ts'
import type { Edit, ScannedRequest } from '../../wire-format.ts'
import { geminiFormat } from '../format.ts'
import { readInner } from '../request/read-inner.ts'
import { toExtras } from '../values/extras.ts'
import { modelName, modelPath } from '../values/model-path.ts'
import { nameModel } from '../values/name-model.ts'
import { writeCounts } from '../values/write-counts.ts'
import { readEmbeddingTerms } from '../verbatim/read-spending-terms.ts'
import { createTermsScan } from '../verbatim/scan-terms.ts'
import { watchVectors } from '../verbatim/watch-vectors.ts'
import { type EmbeddingEntry, embedFields, readEmbeddingEntry, writeEntry } from './embedding-fields.ts'
import { geminiEmbeddings } from './gemini-embeddings.ts'

const entryFields = Object.keys(embedFields)

/**
 * Gemini's embedding of several contents
 * (https://ai.google.dev/api/embeddings#method:-models.batchembedcontents, seen 2026-11-20).
 */
export const batchEmbedContentsFormat: EmbeddingFormat = {
  id: 'batch-embed-contents',
  kind: 'embedding',
  family: 'gemini',
  ...membersOfFamily(geminiFormat),
  path: ({ model }) => `${modelPath(model)}:batchEmbedContents`,
  scanRequest: createTermsScan({ fields: ['requests', 'model'], required: ['requests'] }),
  readSpendingTerms: readEmbeddingTerms,
  spliceRequest,
  readRequest,
  writeRequest,
  readReply: geminiEmbeddings.readReply,
  writeReply,
  watchReply: watchVectors,
  usagePath: ['usageMetadata'],
}

/** Every entry must name the model of the path. The body may name the same model. */
function spliceRequest(scanned: ScannedRequest, { model }: { readonly model: string }): readonly Buffer[] {
  const edits: Edit[] = []
  if (scanned.fields.has('model')) edits.push(setField(scanned, 'model', JSON.stringify(modelName(model))))
  const field = scanned.fields.get('requests')
  const requests = field === undefined ? undefined : readInner(scanned, field)
  if (!isJsonArray(requests)) throw invalidField('requests', 'an array')
  const named = requests.map((entry, index) =>
    isJsonObject(entry)
      ? nameModel(entry, { fields: entryFields, path: `requests[${index}]`, model })
      : entry,
  )
  const text = JSON.stringify(named)
  if (text !== JSON.stringify(requests)) edits.push(setField(scanned, 'requests', text))
  return spliceBody(scanned.body, edits)
}

function readRequest(body: JsonObject): EmbeddingRequest {
  const requests = readArray(body, 'requests', '') ?? []
  const sources = requests.map((entry, index) => asObject(entry, `requests[${index}]`))
  const entries = sources.map((entry, index) => readEmbeddingEntry(entry, `requests[${index}]`))
  const [first] = entries
  if (first === undefined) throw invalidField('requests', 'an array with at least one request')
  const model = requireString(body, 'model', '')
  const encoding = 'float' as const
  const settings = settingsOf(first)
  const isAlike = entries.every((entry) => settingsOf(entry) === settings)
  if (!isAlike) return { model, encoding, inputs: sources.map(withoutModel) }
  const inputs = entries.map(({ input }) => input)
  return omitUndefined({ model, inputs, encoding, dimensions: first.dimensions, ...toExtras(first.fields) })
}

function settingsOf({ dimensions, fields }: EmbeddingEntry): string {
  return JSON.stringify([dimensions, fields])
}

/** An entry with its own settings, which only this format can carry. */
function withoutModel({ model: _model, ...value }: JsonObject): EmbeddingRequest['inputs'][number] {
  return { type: 'opaque', value }
}

function writeRequest(request: EmbeddingRequest, model: string): JsonObject {
  return { requests: request.inputs.map((input) => writeEntry(input, request, model)) }
}

function writeReply({ vectors, usage }: EmbeddingReply): JsonObject {
  return {
    embeddings: vectors.map((vector) => ({ values: [...toNumbers(vector)] })),
    ...(usage === undefined ? {} : { usageMetadata: writeCounts(usage) }),
  }
}
