import type { Extras } from '../../canonical/format.ts'
import type { LossList } from '../../canonical/loss.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'
import { fieldPaths } from '../field-paths.ts'

/**
 * Puts the format's own fields back beside those written from the canonical form; where both are objects the parts
 * are joined. Fields of another format are lost, each by its name below `place`.
 */
export function writeExtras(
  written: JsonObject,
  extras: Extras | undefined,
  { losses, place }: { readonly losses: LossList; readonly place: string },
): JsonObject {
  if (extras === undefined) return written
  if (extras.format === 'messages') return joinFields(written, extras.fields)
  for (const path of fieldPaths(extras)) {
    losses.add({ feature: 'foreign-field', kind: 'dropped', field: place === '' ? path : `${place}.${path}` })
  }
  return written
}

export function joinFields(written: JsonObject, fields: JsonObject): JsonObject {
  const joined: [string, JsonValue | undefined][] = Object.entries(written)
  for (const [name, value] of Object.entries(fields)) {
    const before = Object.hasOwn(written, name) ? written[name] : undefined
    const both = isJsonObject(before) && isJsonObject(value)
    joined.push([name, both ? { ...before, ...value } : value])
  }
  return Object.fromEntries(joined)
}
