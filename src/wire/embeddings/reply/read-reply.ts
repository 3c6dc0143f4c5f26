import type { EmbeddingReply, Vector } from '../../../canonical/embedding.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { type FieldTable, leftoversOf } from '../../fields/field-table.ts'
import { isNumbers } from '../../fields/vectors.ts'
import { readUsage } from '../../openai/values/read-usage.ts'
import { toExtras } from '../values/extras.ts'

/** The fields of an answer that have a canonical name or are computed again. */
const replyFields = {
  data: 'named',
  model: 'named',
  object: 'derived',
  usage: 'named',
} as const satisfies FieldTable

/** Reads a reply. Never throws: a reply that is not a list of vectors, each with its own index, becomes a failure. */
export function readReply(body: JsonValue): EmbeddingReply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const { data, model, usage } = body
  if (!isJsonArray(data)) return readErrorInAnswer(body) ?? createFailure('upstream_bad_response')
  if (data.length === 0) return createFailure('upstream_empty')
  const vectors = readVectors(data)
  if (vectors === undefined) return createFailure('upstream_bad_response')
  return {
    model: typeof model === 'string' ? model : '',
    vectors,
    ...omitUndefined({ usage: readUsage(usage) }),
    ...toExtras(leftoversOf(body, replyFields)),
  }
}

/** Reads vectors in the order of their indices, which may differ from the order of the list. */
function readVectors(data: readonly JsonValue[]): readonly Vector[] | undefined {
  const vectors: (Vector | undefined)[] = data.map(() => undefined)
  for (const [position, entry] of data.entries()) {
    if (!isJsonObject(entry)) return undefined
    const { index = position, embedding } = entry
    const vector = readVector(embedding)
    if (vector === undefined || typeof index !== 'number' || !(index in vectors)) return undefined
    if (vectors[index] !== undefined) return undefined
    vectors[index] = vector
  }
  return vectors.filter((vector) => vector !== undefined)
}

function readVector(embedding: JsonValue | undefined): Vector | undefined {
  if (typeof embedding === 'string') return { encoding: 'base64', data: embedding }
  return isJsonArray(embedding) && isNumbers(embedding) ? { encoding: 'float', values: embedding } : undefined
}
