import type { JsonObject } from '../../../kit/json/json.ts'
import type { FieldTable } from '../../fields/field-table.ts'

/**
 * An object with its documented fields under the names of the tables: proto JSON accepts `camelCase` and `snake_case`
 * for the same field. Fields that no table has stay unchanged. If a field appears under both names, the first wins.
 */
export function withOwnNames(object: JsonObject, ...tables: readonly FieldTable[]): JsonObject {
  if (!Object.keys(object).some((name) => name.includes('_'))) return object
  const renamed = new Map<string, JsonObject[string]>()
  for (const [name, value] of Object.entries(object)) {
    const camel = name.replace(/(?!^)_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
    const own = tables.some((table) => Object.hasOwn(table, camel)) ? camel : name
    if (!renamed.has(own)) renamed.set(own, value)
  }
  return Object.fromEntries(renamed)
}
