import type { EmbeddingInput, EmbeddingRequest, VectorEncoding } from '../../canonical/embedding.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import { invalidField, missingField, readInteger, readString, requireString } from '../chat/read-field.ts'
import { requestFields } from './fields.ts'
import { readExtras } from './read-extras.ts'

/** Throws `GatewayError` (400) on what the format forbids. */
export function readRequest(body: JsonObject): EmbeddingRequest {
  return {
    model: requireString(body, 'model', ''),
    inputs: readInputs(body['input']),
    ...omitUndefined({
      dimensions: readInteger(body, 'dimensions', { place: '', min: 1 }),
      encoding: readEncoding(body),
      endUser: readString(body, 'user', ''),
    }),
    ...readExtras(body, requestFields),
  }
}

/** A text, a list of texts, a list of tokens or a list of lists of tokens; what else a provider takes stays as it is. */
function readInputs(input: JsonValue | undefined): readonly EmbeddingInput[] {
  if (input === undefined || input === null) throw missingField('input')
  if (!isJsonArray(input)) return [readInput(input)]
  if (input.length === 0) throw invalidField('input', 'a text, or a list that is not empty')
  return isTokens(input) ? [{ type: 'tokens', tokens: input }] : input.map(readInput)
}

function readInput(input: JsonValue): EmbeddingInput {
  if (typeof input === 'string') return { type: 'text', text: input }
  if (isJsonArray(input) && isTokens(input)) return { type: 'tokens', tokens: input }
  return { type: 'opaque', value: input }
}

function isTokens(list: readonly JsonValue[]): list is readonly number[] {
  return list.length > 0 && list.every((token) => Number.isSafeInteger(token))
}

function readEncoding(body: JsonObject): VectorEncoding | undefined {
  const encoding = readString(body, 'encoding_format', '')
  if (encoding === undefined || encoding === 'float' || encoding === 'base64') return encoding
  throw invalidField('encoding_format', '"float" or "base64"')
}
