import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'

/** Keywords whose value maps names to schemas; a name there is no keyword. */
export const schemaMaps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
/** Keywords whose value lists schemas. */
export const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'oneOf'])

/**
 * Whether every reference of the schema leads to one of its definitions, and none leads back to where it stands: the
 * provider refuses "self-referencing or mutually-referencing definitions", also those that nothing leads to, and looks
 * for definitions at the schema's root alone (docs/build-with-claude/structured-outputs and the texts of its refusals,
 * seen 2026-11-22).
 */
export function areReferencesSound(root: JsonObject): boolean {
  const definitions = readDefinitions(root)
  const settled = new Set<string>()
  const open = new Set<string>()
  const isSound = (reference: string): boolean => {
    const definition = definitions.get(reference)
    if (definition === undefined || open.has(reference)) return false
    if (settled.has(reference)) return true
    open.add(reference)
    const isWhole = listReferences(definition).every(isSound)
    open.delete(reference)
    settled.add(reference)
    return isWhole
  }
  return [...listReferences(root), ...definitions.keys()].every(isSound)
}

/** By the pointer under which references name them, such as `#/$defs/Person`. */
function readDefinitions(root: JsonObject): ReadonlyMap<string, JsonObject> {
  const definitions = new Map<string, JsonObject>()
  for (const holder of ['$defs', 'definitions']) {
    const named = root[holder]
    for (const [name, schema] of Object.entries(isJsonObject(named) ? named : {})) {
      const token = name.replaceAll('~', '~0').replaceAll('/', '~1')
      if (isJsonObject(schema)) definitions.set(`#/${holder}/${token}`, schema)
    }
  }
  return definitions
}

/** Of the schema and of all within it, its definitions included. */
function listReferences(schema: JsonObject): readonly string[] {
  const { $ref: reference } = schema
  const own = typeof reference === 'string' ? [reference] : []
  return [...own, ...listParts(schema).flatMap(listReferences)]
}

function listParts(schema: JsonObject): readonly JsonObject[] {
  return Object.entries(schema).flatMap(([name, value]) => listWithin(name, value).filter(isJsonObject))
}

function listWithin(name: string, value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  if (schemaMaps.has(name)) return isJsonObject(value) ? Object.values(value) : []
  if (schemaLists.has(name)) return isJsonArray(value) ? value : []
  return name === 'items' ? [value] : []
}
