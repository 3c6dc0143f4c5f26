import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** Fields of the format's own schemas that hold a schema, a list of them, or schemas by name. */
const inner: ReadonlySet<string> = new Set(['items', 'additionalProperties'])
const lists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const maps: ReadonlySet<string> = new Set(['properties', '$defs', 'defs'])
/** Keywords with 64-bit numbers, which the format writes as text. */
const counts: ReadonlySet<string> = new Set([
  'maxItems',
  'minItems',
  'maxLength',
  'minLength',
  'maxProperties',
  'minProperties',
])
const names: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  max_items: 'maxItems',
  min_items: 'minItems',
  max_length: 'maxLength',
  min_length: 'minLength',
  max_properties: 'maxProperties',
  min_properties: 'minProperties',
  property_ordering: 'propertyOrdering',
  additional_properties: 'additionalProperties',
}

/**
 * Converts a schema of the format (a subset of OpenAPI's, with types in capitals) to a JSON Schema. Properties stay in
 * the order of the source. https://ai.google.dev/api/caching#Schema, seen 2026-11-20.
 */
export function readSchema(schema: JsonObject): JsonObject {
  const { nullable, ...own } = schema
  const isNullable = nullable === true
  const read: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || value === null) continue
    const field = names[name] ?? name
    if (field === 'propertyOrdering') continue
    if (field === 'example') read.push(['examples', [value]])
    else if (field === 'type') read.push(...readType(value, isNullable))
    else read.push([field, isNullable ? withNull(field, readValue(field, value)) : readValue(field, value)])
  }
  return Object.fromEntries(read)
}

/** The types by their enum numbers: proto JSON accepts the number in place of the name. */
const typesByNumber = [
  'TYPE_UNSPECIFIED',
  'STRING',
  'NUMBER',
  'INTEGER',
  'BOOLEAN',
  'ARRAY',
  'OBJECT',
  'NULL',
]

function readType(value: JsonValue, isNullable: boolean): [string, JsonValue][] {
  const type = typeof value === 'number' ? (typesByNumber[value] ?? value) : value
  if (type === 'TYPE_UNSPECIFIED') return []
  const word = typeof type === 'string' ? type.toLowerCase() : type
  return [['type', isNullable ? [word, 'null'] : word]]
}

/** Adds null to an enumeration or a union, which would exclude it in JSON Schema whatever the type is. */
function withNull(field: string, value: JsonValue): JsonValue {
  if (!isJsonArray(value)) return value
  if (field === 'enum') return value.includes(null) ? value : [...value, null]
  return field === 'anyOf' || field === 'oneOf' ? [...value, { type: 'null' }] : value
}

function readValue(field: string, value: JsonValue): JsonValue {
  if (counts.has(field) && typeof value === 'string' && /^\d+$/.test(value)) return Number(value)
  if (inner.has(field)) return readInner(value)
  if (lists.has(field) && isJsonArray(value)) return value.map(readInner)
  if (!maps.has(field) || !isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, readInner(one)]))
}

function readInner(value: JsonValue | undefined): JsonValue {
  return isJsonObject(value) ? readSchema(value) : (value ?? null)
}
