import type { EmbeddingInput, EmbeddingReply, EmbeddingRequest, Vector } from '../../canonical/embedding.ts'
import { createFailure, type Failure, GatewayError } from '../../canonical/failure.ts'
import { createLossList, type LossList, type Written } from '../../canonical/loss.ts'
import { noUsage, type Usage } from '../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { isNumbers } from '../fields/vectors.ts'
import type { ChannelEmbeddings } from '../wire-format.ts'

/** Cohere's embeddings, version 2 (https://docs.cohere.com/reference/embed, seen 2026-11-20). */
export const cohereEmbeddings: ChannelEmbeddings = { path: '/v2/embed', writeRequest, readReply }

/** Fields that only this provider has. A caller of any format may add these fields. */
const ownFields: ReadonlySet<string> = new Set(['input_type', 'truncate', 'max_tokens', 'priority'])
/** The default purpose of the vectors, since the provider requires a purpose. */
const DEFAULT_INPUT_TYPE = 'search_document'

function writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject> {
  const { inputs, dimensions, endUser, extras } = request
  const losses = createLossList()
  if (endUser !== undefined) losses.lose('end-user', 'dropped')
  const own = writeOwnFields(extras?.fields ?? {}, losses)
  const body = omitUndefined({
    model,
    input_type: DEFAULT_INPUT_TYPE,
    ...own,
    ...writeInputs(inputs),
    embedding_types: ['float'],
    output_dimension: dimensions,
  })
  return { value: body, losses: losses.all }
}

function writeOwnFields(fields: JsonObject, losses: LossList): JsonObject {
  if (fields['input_type'] === undefined) losses.lose('foreign-field', 'defaulted', 'input_type')
  const own: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (ownFields.has(name)) own[name] = value
    else losses.lose('foreign-field', 'dropped', name)
  }
  return own
}

/** Writes the inputs. Texts are a list. If any input has an image, each input is a list of parts. */
function writeInputs(inputs: readonly EmbeddingInput[]): JsonObject {
  const texts = inputs.map((input) => (input.type === 'text' ? input.text : undefined))
  if (texts.every((text) => text !== undefined)) return { texts }
  return { inputs: inputs.map(writeMixedInput) }
}

function writeMixedInput(input: EmbeddingInput): JsonObject {
  if (input.type === 'text') return { content: [{ type: 'text', text: input.text }] }
  const value = input.type === 'opaque' ? input.value : undefined
  if (isJsonObject(value) && isJsonArray(value['content'])) return value
  if (isJsonObject(value) && (value['type'] === 'image_url' || value['type'] === 'text'))
    return { content: [value] }
  throw new GatewayError('cannot_be_carried', {
    param: 'input',
    message:
      'The channel for this model makes vectors of texts and pictures, and "input" holds something else, such as tokens of another model. Send the texts themselves.',
  })
}

/** Reads a reply. Never throws: an answer that is not a list of vectors becomes a failure. */
function readReply(body: JsonValue): EmbeddingReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const { embeddings } = body
  const list = isJsonObject(embeddings) ? embeddings['float'] : embeddings
  if (!isJsonArray(list)) return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  if (list.length === 0) return createFailure('upstream_empty')
  const vectors = list.map(readVector).filter((vector) => vector !== undefined)
  if (vectors.length < list.length) return createFailure('upstream_bad_response')
  const usage = readUsage(body['meta'])
  return { model: '', vectors, ...(usage === undefined ? {} : { usage }) }
}

function readVector(value: JsonValue): Vector | undefined {
  return isJsonArray(value) && isNumbers(value) ? { encoding: 'float', values: value } : undefined
}

/** Reads the usage. Images are counted separately from texts. */
function readUsage(meta: JsonValue | undefined): Usage | undefined {
  const units = isJsonObject(meta) ? meta['billed_units'] : undefined
  if (!isJsonObject(units)) return undefined
  const inputImageTokens = countOf(units['image_tokens'])
  return { ...noUsage, freshInputTokens: countOf(units['input_tokens']) + inputImageTokens, inputImageTokens }
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}
