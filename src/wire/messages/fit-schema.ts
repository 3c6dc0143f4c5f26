import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'

/** Keywords that the provider refuses in schemas that it holds the model to (docs/build-with-claude/structured-outputs, seen 2026-11-20). */
const refused: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
])
/** Keywords whose value maps names to schemas; a name there is no keyword. */
const maps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
/** Keywords whose value is data. */
const data: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required'])

export interface FittedSchema {
  readonly schema: JsonObject
  /** Whether the schema says something else than before. */
  readonly isChanged: boolean
}

/** The schema as the provider takes it: objects closed, and without the keywords that it refuses. */
export function fitSchema(schema: JsonObject): FittedSchema {
  const notes = { isChanged: false }
  return { schema: fitObject(schema, notes), isChanged: notes.isChanged }
}

interface Notes {
  isChanged: boolean
}

function fitObject(schema: JsonObject, notes: Notes): JsonObject {
  const fitted: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined) continue
    if (refused.has(name) || (name === 'minItems' && typeof value === 'number' && value > 1)) {
      notes.isChanged = true
    } else {
      fitted.push([name, fitKeyword(name, value, notes)])
    }
  }
  const isOpen = isObjectSchema(schema) && schema['additionalProperties'] !== false
  if (!isOpen) return Object.fromEntries(fitted)
  notes.isChanged = true
  return { ...Object.fromEntries(fitted), additionalProperties: false }
}

function isObjectSchema(schema: JsonObject): boolean {
  const { type } = schema
  return (
    type === 'object' || (isJsonArray(type) && type.includes('object')) || isJsonObject(schema['properties'])
  )
}

function fitKeyword(name: string, value: JsonValue, notes: Notes): JsonValue {
  if (data.has(name)) return value
  if (maps.has(name) && isJsonObject(value)) {
    const inner = Object.entries(value).map(([key, each]) => [
      key,
      each === undefined ? null : fitValue(each, notes),
    ])
    return Object.fromEntries(inner)
  }
  return fitValue(value, notes)
}

function fitValue(value: JsonValue, notes: Notes): JsonValue {
  if (isJsonArray(value)) return value.map((item) => fitValue(item, notes))
  return isJsonObject(value) ? fitObject(value, notes) : value
}
