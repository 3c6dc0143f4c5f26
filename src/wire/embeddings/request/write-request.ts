import type { EmbeddingInput, EmbeddingRequest } from '../../../canonical/embedding.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { joinFields } from '../../fields/extras.ts'

/** Writes a request in the format. `model` is the upstream's name of the model. */
export function writeRequest(request: EmbeddingRequest, model: string): JsonObject {
  const { inputs, dimensions, encoding, endUser, extras } = request
  const [first] = inputs
  const isOneText = inputs.length === 1 && first?.type === 'text'
  const written = {
    model,
    input: isOneText ? first.text : inputs.map(writeInput),
    ...omitUndefined({ dimensions, encoding_format: encoding, user: endUser }),
  }
  return extras?.format === 'embeddings' ? joinFields(written, extras.fields) : written
}

function writeInput(input: EmbeddingInput): JsonValue {
  switch (input.type) {
    case 'text':
      return input.text
    case 'tokens':
      return [...input.tokens]
    case 'opaque':
      return input.value
  }
}
