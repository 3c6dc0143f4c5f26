import type { EmbeddingReply, VectorEncoding } from '../../../canonical/embedding.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { joinFields } from '../../fields/extras.ts'
import { toBase64, toNumbers } from '../../fields/vectors.ts'

/** Writes an answer in the format. Vectors have the requested encoding, or stay unchanged where none was requested. */
export function writeReply(
  { model, vectors, usage, extras }: EmbeddingReply,
  encoding: VectorEncoding | undefined,
): JsonObject {
  const written = {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: (encoding ?? vector.encoding) === 'float' ? [...toNumbers(vector)] : toBase64(vector),
    })),
    model,
    ...(usage === undefined ? {} : { usage: writeUsage(usage) }),
  }
  return extras?.format === 'embeddings' ? joinFields(written, extras.fields) : written
}

function writeUsage(usage: Usage): JsonObject {
  const input = inputTokensOf(usage)
  return { prompt_tokens: input, total_tokens: input + usage.outputTokens }
}
