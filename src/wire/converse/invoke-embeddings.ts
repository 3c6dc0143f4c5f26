import type { EmbeddingInput, EmbeddingReply, EmbeddingRequest, Vector } from '../../canonical/embedding.ts'
import { createFailure, type Failure, GatewayError } from '../../canonical/failure.ts'
import { createLossList, type LossList, type Written } from '../../canonical/loss.ts'
import { noUsage } from '../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { isNumbers } from '../fields/vectors.ts'
import type { ChannelEmbeddings } from '../wire-format.ts'

/**
 * Embedding models of Bedrock. Each is invoked in its maker's own format: Amazon's Titan and Nova, and Cohere's models
 * (docs.aws.amazon.com/bedrock/latest/userguide/{model-parameters-titan-embed-text,model-parameters-embed-v4}.html and
 * …/nova/latest/userguide/embeddings-schema.html, seen 2026-11-20). `cohere` writes and reads the calls of Cohere's
 * own API.
 */
export function createInvokeEmbeddings(cohere: ChannelEmbeddings): ChannelEmbeddings {
  return {
    path: ({ model }) => `/model/${encodeURIComponent(model)}/invoke`,
    writeRequest: (request, model) =>
      isCohere(model)
        ? writeCohere(cohere.writeRequest(request, model), model)
        : writeRequest(request, model),
    readReply: (body) => (isAmazons(body) ? readReply(body) : cohere.readReply(body)),
  }
}

/** The maximum number of texts in one call of a model. Only Cohere's models accept more than one. */
export function maxInputsOf(model: string): number {
  return isCohere(model) ? 96 : 1
}

function isCohere(model: string): boolean {
  return /cohere\./i.test(model)
}

function writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject> {
  const losses = createLossList()
  if (request.endUser !== undefined) losses.lose('end-user', 'dropped')
  const [input] = request.inputs
  const text = readText(input)
  const value = /nova/i.test(model)
    ? writeNova(text, request, losses)
    : writeTitan(text, request, { model, losses })
  return { value, losses: losses.all }
}

/** The body without the model's name. The older models have only one vector length. */
function writeCohere({ value, losses }: Written<JsonObject>, model: string): Written<JsonObject> {
  const { model: _model, output_dimension: dimension, ...rest } = value
  if (/embed-v4/i.test(model))
    return { value: omitUndefined({ ...rest, output_dimension: dimension }), losses }
  const more = dimension === undefined ? [] : [droppedField('dimensions')]
  return { value: rest, losses: [...losses, ...more] }
}

function droppedField(field: string) {
  return { feature: 'foreign-field', kind: 'dropped', field } as const
}

const titanFields: ReadonlySet<string> = new Set(['normalize'])

/** Writes the body for Titan. The first version accepts only the text. */
function writeTitan(
  inputText: string,
  { dimensions, extras }: EmbeddingRequest,
  { model, losses }: { readonly model: string; readonly losses: LossList },
): JsonObject {
  const hasDimensions = /embed-text-v2|embed-image/i.test(model)
  if (dimensions !== undefined && !hasDimensions) losses.lose('foreign-field', 'dropped', 'dimensions')
  const own = hasDimensions
    ? pickFields(extras?.fields, titanFields, losses)
    : pickFields(extras?.fields, none, losses)
  if (/embed-image/i.test(model)) {
    const config = dimensions === undefined ? undefined : { outputEmbeddingLength: dimensions }
    return omitUndefined({ inputText, embeddingConfig: config })
  }
  return omitUndefined({ inputText, ...(hasDimensions ? { dimensions } : {}), ...own })
}

const none: ReadonlySet<string> = new Set()

function pickFields(
  fields: JsonObject | undefined,
  known: ReadonlySet<string>,
  losses: LossList,
): JsonObject {
  const own: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === undefined) continue
    if (known.has(name)) own[name] = value
    else losses.lose('foreign-field', 'dropped', name)
  }
  return own
}

/** The default purpose of the vectors, which Nova requires. This purpose fits any use. */
const DEFAULT_PURPOSE = 'GENERIC_INDEX'
const novaFields: ReadonlySet<string> = new Set(['embeddingPurpose'])

function writeNova(value: string, { dimensions, extras }: EmbeddingRequest, losses: LossList): JsonObject {
  const own = pickFields(extras?.fields, novaFields, losses)
  if (own['embeddingPurpose'] === undefined) losses.lose('foreign-field', 'defaulted', 'embeddingPurpose')
  return {
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: omitUndefined({
      embeddingPurpose: DEFAULT_PURPOSE,
      ...own,
      embeddingDimension: dimensions,
      text: { truncationMode: 'NONE', value },
    }),
  }
}

function readText(input: EmbeddingInput | undefined): string {
  if (input?.type === 'text') return input.text
  throw new GatewayError('cannot_be_carried', {
    param: 'input',
    message:
      'The channel for this model makes vectors of texts, and "input" holds something else, such as tokens of another model. Send the texts themselves.',
  })
}

/** Whether an answer comes from an Amazon model: one vector, or a list without metadata. */
function isAmazons(body: JsonValue): body is JsonObject {
  return isJsonObject(body) && (body['embedding'] !== undefined || isJsonArray(body['embeddings']))
}

/** Reads a reply. Never throws: an answer without vectors becomes a failure. */
function readReply(body: JsonObject): EmbeddingReply | Failure {
  const { embedding, embeddings, inputTextTokenCount: count } = body
  const list = isJsonArray(embeddings) ? embeddings : [embedding ?? null]
  const vectors = list.map(readVector).filter((vector) => vector !== undefined)
  if (vectors.length === 0 || vectors.length < list.length) return createFailure('upstream_bad_response')
  const isCounted = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0
  return { model: '', vectors, ...(isCounted ? { usage: { ...noUsage, freshInputTokens: count } } : {}) }
}

/** Reads a vector: a plain list of numbers, or Nova's object with the vector and its kind. */
function readVector(value: JsonValue): Vector | undefined {
  const values = isJsonObject(value) ? value['embedding'] : value
  return isJsonArray(values) && isNumbers(values) ? { encoding: 'float', values } : undefined
}
