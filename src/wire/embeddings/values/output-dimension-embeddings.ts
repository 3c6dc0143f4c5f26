import type { EmbeddingRequest } from '../../../canonical/embedding.ts'
import { createLossList, type LossList, type Written } from '../../../canonical/loss.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { ChannelEmbeddings } from '../../wire-format.ts'
import { readReply } from '../reply/read-reply.ts'
import { textOfInput } from './text-of-input.ts'

/**
 * Embeddings of providers whose name for `dimensions` is `output_dimension`. They refuse a request with a field that
 * they do not know, and Voyage also one with `encoding_format: "float"`
 * (https://docs.voyageai.com/reference/embeddings-api, https://github.com/davidmigloz/langchain_dart/pull/886, seen
 * 2026-11-30).
 */
export function createOutputDimensionEmbeddings(ownFields: ReadonlySet<string>): ChannelEmbeddings {
  return {
    path: '/embeddings',
    writeRequest: (request, model) => writeRequest(request, model, ownFields),
    readReply,
  }
}

function writeRequest(
  { inputs, dimensions, encoding, endUser, extras }: EmbeddingRequest,
  model: string,
  ownFields: ReadonlySet<string>,
): Written<JsonObject> {
  const losses = createLossList()
  if (endUser !== undefined) losses.lose('end-user', 'dropped')
  const own = pickOwn(extras?.fields ?? {}, ownFields, losses)
  // Whole numbers in base64 would be read as floats.
  const isFloat = (own['output_dtype'] ?? 'float') === 'float'
  const value = omitUndefined({
    ...own,
    model,
    input: inputs.map(textOfInput),
    output_dimension: dimensions ?? own['output_dimension'],
    encoding_format: encoding === 'base64' && isFloat ? encoding : undefined,
  })
  return { value, losses: losses.all }
}

function pickOwn(fields: JsonObject, ownFields: ReadonlySet<string>, losses: LossList): JsonObject {
  const own: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue
    if (ownFields.has(name)) own[name] = value
    else losses.lose('foreign-field', 'dropped', name)
  }
  return own
}
