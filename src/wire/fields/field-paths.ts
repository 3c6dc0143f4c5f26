import type { Extras } from '../../canonical/format.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { type InnerObjects, innerObjects } from './inner-objects.ts'

const none: InnerObjects = {}

/** The names of fields that only one format knows, those inside a part with the part's name before them. */
export function fieldPaths({ format, fields }: Extras): readonly string[] {
  return pathsOf(fields, innerObjects[format] ?? none)
}

function pathsOf(fields: JsonObject, inner: InnerObjects): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    Object.hasOwn(inner, name) && isJsonObject(value)
      ? pathsOf(value, inner).map((path) => `${name}.${path}`)
      : [name],
  )
}
