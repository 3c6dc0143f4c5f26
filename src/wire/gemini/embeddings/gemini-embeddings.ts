import type {
  EmbeddingInput,
  EmbeddingReply,
  EmbeddingRequest,
  Vector,
} from '../../../canonical/embedding.ts'
import { createFailure, type Failure, GatewayError } from '../../../canonical/failure.ts'
import { createLossList, type LossList, type Written } from '../../../canonical/loss.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { isNumbers } from '../../fields/vectors.ts'
import type { ChannelEmbeddings } from '../../wire-format.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { modelPath } from '../values/model-path.ts'

/**
 * Embeddings through Gemini's own endpoint, many contents in one call (https://ai.google.dev/api/embeddings, seen
 * 2026-11-20). The endpoint that is compatible with OpenAI's supports neither task types nor images.
 */
export const geminiEmbeddings: ChannelEmbeddings = {
  path: ({ model }) => `${modelPath(model)}:batchEmbedContents`,
  writeRequest,
  readReply,
}

/** Fields that only this format has. A caller of any format may add these fields. */
const ownFields: ReadonlySet<string> = new Set(['taskType', 'title', 'autoTruncate'])

function writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject> {
  const { inputs, dimensions, endUser, extras } = request
  const losses = createLossList()
  if (endUser !== undefined) losses.lose('end-user', 'dropped')
  const own = writeOwnFields(extras?.fields ?? {}, losses)
  const name = decodeURIComponent(modelPath(model)).slice(1)
  const requests = inputs.map((input) =>
    omitUndefined({ model: name, content: writeContent(input), ...own, outputDimensionality: dimensions }),
  )
  return { value: { requests }, losses: losses.all }
}

function writeOwnFields(fields: JsonObject, losses: LossList): JsonObject {
  const own: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (ownFields.has(name)) own.push([name, value])
    else losses.lose('foreign-field', 'dropped', name)
  }
  return Object.fromEntries(own)
}

function writeContent(input: EmbeddingInput): JsonObject {
  if (input.type === 'text') return { parts: [{ text: input.text }] }
  const value = input.type === 'opaque' ? input.value : undefined
  if (isJsonObject(value) && isJsonArray(value['parts'])) return value
  throw new GatewayError('cannot_be_carried', {
    param: 'input',
    message:
      'The channel for this model makes vectors of texts and of contents with "parts", and "input" holds something else, such as tokens of another model. Send the texts themselves.',
  })
}

/** Never throws: an answer that is not a list of vectors becomes a failure. */
function readReply(body: JsonValue): EmbeddingReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const list = isJsonArray(body['embeddings']) ? body['embeddings'] : [body['embedding']]
  const vectors = list.map(readVector).filter((vector) => vector !== undefined)
  if (list.length === 0) return createFailure('upstream_empty')
  if (vectors.length < list.length) return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  const usage = readUsage(body['usageMetadata'])
  return { model: '', vectors, ...(usage === undefined ? {} : { usage }) }
}

function readVector(value: JsonValue | undefined): Vector | undefined {
  const values = isJsonObject(value) ? value['values'] : undefined
  return isJsonArray(values) && isNumbers(values) ? { encoding: 'float', values } : undefined
}

/** Reads the usage; only the second generation of models reports tokens. */
function readUsage(value: JsonValue | undefined): Usage | undefined {
  const tokens = isJsonObject(value) ? value['promptTokenCount'] : undefined
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens) || tokens < 0) return undefined
  return { ...noUsage, freshInputTokens: tokens }
}
