import type { EmbeddingReply, Vector, VectorEncoding } from '../../canonical/embedding.ts'
import { inputTokensOf, type Usage } from '../../canonical/usage.ts'
import type { JsonObject, JsonValue } from '../../kit/json.ts'

/** An answer in the format's words, its vectors written as asked, or as they came where nobody asked. */
export function writeReply(
  { model, vectors, usage, extras }: EmbeddingReply,
  encoding: VectorEncoding | undefined,
): JsonObject {
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: (encoding ?? vector.encoding) === 'float' ? toNumbers(vector) : toBase64(vector),
    })),
    model,
    ...(usage === undefined ? {} : { usage: writeUsage(usage) }),
    ...(extras?.format === 'embeddings' ? extras.fields : {}),
  }
}

function writeUsage(usage: Usage): JsonObject {
  const input = inputTokensOf(usage)
  return { prompt_tokens: input, total_tokens: input + usage.outputTokens }
}

const FLOAT_BYTES = 4

function toNumbers(vector: Vector): JsonValue {
  if (vector.encoding === 'float') return [...vector.values]
  const bytes = Buffer.from(vector.data, 'base64')
  const count = Math.floor(bytes.length / FLOAT_BYTES)
  return Array.from({ length: count }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES))
}

function toBase64(vector: Vector): string {
  if (vector.encoding === 'base64') return vector.data
  const bytes = Buffer.alloc(vector.values.length * FLOAT_BYTES)
  for (const [index, value] of vector.values.entries()) bytes.writeFloatLE(value, index * FLOAT_BYTES)
  return bytes.toString('base64')
}
