import type { Extras } from '../../canonical/format.ts'
import type { LossList } from '../../canonical/loss.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'

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
  for (const path of pathsOf(extras.fields)) {
    losses.add({ feature: 'foreign-field', kind: 'dropped', field: place === '' ? path : `${place}.${path}` })
  }
  return written
}

/** Fields of the chat format that hold the fields of one part; what is unknown of those is named by itself. */
const holders: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'image_url',
  'input_audio',
  'video_url',
  'document_url',
  'file',
  'json_schema',
  'response_format',
  'stream_options',
])

function pathsOf(fields: JsonObject): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    holders.has(name) && isJsonObject(value) ? pathsOf(value).map((inner) => `${name}.${inner}`) : [name],
  )
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
