import type { EmbeddingInput, EmbeddingRequest } from '../../../canonical/embedding.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { type FieldTable, knownFields, leftoversOf } from '../../fields/field-table.ts'
import { asObject, readArray, readInteger, requireObject } from '../../fields/read-field.ts'
import { withOwnNames } from '../request/own-names.ts'
import { modelName } from '../values/model-path.ts'

/**
 * Every field of a request for one vector, single or in a batch. The settings next to the content may also be in their
 * own object, `embedContentConfig`. https://ai.google.dev/api/embeddings, seen 2026-11-20.
 */
export const embedFields = {
  autoTruncate: 'extras',
  content: 'named',
  embedContentConfig: 'named',
  model: 'derived',
  outputDimensionality: 'named',
  taskType: 'extras',
  title: 'extras',
} as const satisfies FieldTable

const known = knownFields(embedFields)

/** The parts of one entry of a batch, or of a single request. */
export interface EmbeddingEntry {
  readonly input: EmbeddingInput
  readonly dimensions?: number | undefined
  readonly fields?: JsonObject | undefined
}

export function readEmbeddingEntry(source: JsonObject, path: string): EmbeddingEntry {
  const { embedContentConfig: config, ...own } = withOwnNames(source, embedFields)
  const entry = { ...own, ...(isJsonObject(config) ? withOwnNames(config, embedFields) : {}) }
  const content = requireObject(entry, 'content', path)
  return {
    input: readContent(content, path),
    dimensions: readInteger(entry, 'outputDimensionality', { path, min: 1 }),
    fields: leftoversOf(entry, known),
  }
}

/** The texts of one content are one input. Only this format can carry the other members of a content. */
function readContent(content: JsonObject, path: string): EmbeddingInput {
  const innerPath = `${path === '' ? '' : `${path}.`}content`
  const parts = (readArray(content, 'parts', innerPath) ?? []).map((part, index) =>
    asObject(part, `${innerPath}.parts[${index}]`),
  )
  const texts = parts.map(textOf).filter((text) => text !== undefined)
  if (texts.length === parts.length) return { type: 'text', text: texts.join('\n') }
  return { type: 'opaque', value: { content } }
}

function textOf(part: JsonObject): string | undefined {
  const { text } = part
  return typeof text === 'string' && Object.keys(part).length === 1 ? text : undefined
}

/** Writes one entry of a batch, or a single request. */
export function writeEntry(
  input: EmbeddingInput,
  { dimensions, extras }: Pick<EmbeddingRequest, 'dimensions' | 'extras'>,
  model: string,
): JsonObject {
  return omitUndefined({
    model: modelName(model),
    ...writeInput(input),
    outputDimensionality: dimensions,
    ...extras?.fields,
  })
}

function writeInput(input: EmbeddingInput): JsonObject {
  if (input.type === 'text') return { content: { parts: [{ text: input.text }] } }
  const value: JsonValue = input.type === 'opaque' ? input.value : null
  return isJsonObject(value) ? value : { content: { parts: [] } }
}
