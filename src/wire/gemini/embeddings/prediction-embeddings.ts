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
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { isNumbers } from '../../fields/vectors.ts'
import type { ChannelEmbeddings } from '../../wire-format.ts'
import { modelPath } from '../values/model-path.ts'

/**
 * Embeddings of Google Cloud: `predict` for models that read text only, and `embedContent` for models that read images
 * as well (https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api and recorded
 * traffic of `gemini-embedding-2`, seen 2026-11-20). Models of the second kind accept one input per call.
 */
export const predictionEmbeddings: ChannelEmbeddings = {
  path: ({ model }) => `${modelPath(model)}:${acceptsContent(model) ? 'embedContent' : 'predict'}`,
  writeRequest,
  readReply,
}

function acceptsContent(model: string): boolean {
  return /^gemini-embedding-(?!001)/.test(model)
}

/** The fields of an instance besides its text, by the names that callers may send. */
const ownFields: Readonly<Record<string, string>> = {
  task_type: 'task_type',
  taskType: 'task_type',
  title: 'title',
}

const parameters: Readonly<Record<string, string>> = {
  auto_truncate: 'autoTruncate',
  autoTruncate: 'autoTruncate',
}

function writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject> {
  const { inputs, dimensions, endUser, extras } = request
  const fields = extras?.fields ?? {}
  const losses = createLossList()
  if (endUser !== undefined) losses.lose('end-user', 'dropped')
  if (acceptsContent(model)) {
    loseOthers(fields, {}, losses)
    return { value: writeContent(inputs, dimensions), losses: losses.all }
  }
  loseOthers(fields, { ...ownFields, ...parameters }, losses)
  const own = pick(fields, ownFields)
  const settings = omitUndefined({ ...pick(fields, parameters), outputDimensionality: dimensions })
  const body = omitUndefined({
    instances: inputs.map((input) => ({ content: textOf(input), ...own })),
    parameters: Object.keys(settings).length === 0 ? undefined : settings,
  })
  return { value: body, losses: losses.all }
}

function writeContent(
  inputs: readonly EmbeddingInput[],
  outputDimensionality: number | undefined,
): JsonObject {
  const [input] = inputs
  const value = input?.type === 'opaque' && isJsonObject(input.value) ? input.value['content'] : undefined
  const content = isJsonObject(value)
    ? value
    : { parts: input === undefined ? [] : [{ text: textOf(input) }] }
  return omitUndefined({ content, outputDimensionality })
}

function pick(fields: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const found = Object.entries(fields).flatMap(([name, value]) => {
    const own = names[name]
    return own === undefined || value === undefined ? [] : [[own, value] as const]
  })
  return Object.fromEntries(found)
}

function loseOthers(fields: JsonObject, known: Readonly<Record<string, string>>, losses: LossList): void {
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(known, name)) losses.lose('foreign-field', 'dropped', name)
  }
}

function textOf(input: EmbeddingInput): string {
  if (input.type === 'text') return input.text
  throw new GatewayError('cannot_be_carried', {
    param: 'input',
    message:
      'The channel for this model makes vectors of texts, and "input" holds something else, such as tokens of another model. Send the texts themselves.',
  })
}

/** Never throws: an answer that is not a list of vectors becomes a failure. */
function readReply(body: JsonValue): EmbeddingReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const { predictions, embedding } = body
  const list = isJsonArray(predictions) ? predictions.map(embeddingIn) : [embedding]
  if (list.length === 0) return createFailure('upstream_empty')
  const vectors = list.map(readVector).filter((vector) => vector !== undefined)
  if (vectors.length < list.length) {
    return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  }
  return { model: '', vectors, usage: readUsage(body, list) }
}

function embeddingIn(prediction: JsonValue): JsonValue | undefined {
  return isJsonObject(prediction) ? prediction['embeddings'] : undefined
}

function readVector(embedding: JsonValue | undefined): Vector | undefined {
  const values = isJsonObject(embedding) ? embedding['values'] : undefined
  return isJsonArray(values) && isNumbers(values) ? { encoding: 'float', values } : undefined
}

/** Reads the usage. Each vector of a prediction has the token count of its text; `embedContent` has one count. */
function readUsage(body: JsonObject, list: readonly (JsonValue | undefined)[]): Usage {
  const whole = isJsonObject(body['usageMetadata']) ? body['usageMetadata']['promptTokenCount'] : undefined
  const counts = typeof whole === 'number' ? [whole] : list.map(tokensOf)
  const known = counts.filter(
    (count) => typeof count === 'number' && Number.isSafeInteger(count) && count >= 0,
  )
  const freshInputTokens = known.reduce<number>((sum, count) => sum + Number(count), 0)
  return { ...noUsage, freshInputTokens, isEstimated: known.length < counts.length }
}

function tokensOf(embedding: JsonValue | undefined): JsonValue | undefined {
  const statistics = isJsonObject(embedding) ? embedding['statistics'] : undefined
  return isJsonObject(statistics) ? statistics['token_count'] : undefined
}
