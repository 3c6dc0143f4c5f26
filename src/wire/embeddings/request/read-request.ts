import type { EmbeddingInput, EmbeddingRequest, VectorEncoding } from '../../../canonical/embedding.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { type FieldTable, leftoversOf } from '../../fields/field-table.ts'
import { invalidField, missingField, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'

/**
 * Throws `GatewayError` (400) where the model or the input is missing. The provider checks everything else. A value
 * that the canonical form cannot carry stays unchanged.
 */
export function readRequest(body: JsonObject): EmbeddingRequest {
  const model = requireString(body, 'model', '')
  const inputs = readInputs(body['input'])
  const named = omitUndefined({
    dimensions: readDimensions(body['dimensions']),
    encoding: readEncoding(body['encoding_format']),
    endUser: readEndUser(body['user']),
  })
  const read: FieldTable = {
    model: 'named',
    input: 'named',
    ...(named.dimensions !== undefined && { dimensions: 'named' }),
    ...(named.encoding !== undefined && { encoding_format: 'named' }),
    ...(named.endUser !== undefined && { user: 'named' }),
  }
  return { model, inputs, ...named, ...toExtras(leftoversOf(body, read)) }
}

function readDimensions(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

/** Some providers have additional encodings, such as bytes in base64. */
function readEncoding(value: JsonValue | undefined): VectorEncoding | undefined {
  return value === 'float' || value === 'base64' ? value : undefined
}

function readEndUser(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Reads a text, a list of texts, a list of tokens or a list of lists of tokens. Any other input stays unchanged. */
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
