import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** Keywords with a map from names to schemas. The names in the map are not keywords. */
export const schemaMaps: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
/** Keywords with a list of schemas. */
export const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'oneOf'])

/**
 * Whether every reference of the schema points to one of its definitions, and no definition refers to itself, directly
 * or not. The provider refuses "self-referencing or mutually-referencing definitions", even unused ones, and looks for
 * definitions only at the schema's root (docs/build-with-claude/structured-outputs and the texts of its refusals, seen
 * 2026-11-22).
 */
export function areReferencesSound(root: JsonObject): boolean {
  const definitions = readDefinitions(root)
  const referencesOf = new Map([...definitions].map(([name, schema]) => [name, listReferences(schema)]))
  const isDefined = (reference: string) => definitions.has(reference)
  return (
    [listReferences(root), ...referencesOf.values()].every((list) => list.every(isDefined)) &&
    !holdsCycle(referencesOf)
  )
}

/**
 * Whether the references have a cycle. Removes definitions that no other definition refers to, until none or only a
 * cycle remains. Not recursive, since a chain of references can be as long as a body allows.
 */
function holdsCycle(referencesOf: ReadonlyMap<string, readonly string[]>): boolean {
  const timesNamed = new Map([...referencesOf.keys()].map((name) => [name, 0]))
  for (const name of [...referencesOf.values()].flat()) timesNamed.set(name, (timesNamed.get(name) ?? 0) + 1)
  const free = [...timesNamed].filter(([, times]) => times === 0).map(([name]) => name)
  // The loop also visits the names that it adds to `free`.
  for (const name of free) {
    for (const other of referencesOf.get(name) ?? []) {
      const times = (timesNamed.get(other) ?? 0) - 1
      timesNamed.set(other, times)
      if (times === 0) free.push(other)
    }
  }
  return free.length < referencesOf.size
}

/** Reads the definitions, by the pointer that references use, such as `#/$defs/Person`. */
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

/** Lists the references in the schema and in all schemas inside it, including its definitions. */
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
