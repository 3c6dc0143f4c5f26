import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { maskSecrets } from '../secrets/mask-secrets.ts'
import { channelsOf, modelsOf, nameOf } from '../source/document-objects.ts'
import { apiSettings } from './api-document.ts'

const LONGEST_VALUE = 120

/** What differs between two documents, a sentence each, secrets as they are shown. */
export function describeChanges(
  before: JsonObject,
  after: JsonObject,
  mask: (document: JsonObject) => JsonObject = maskSecrets,
): readonly string[] {
  const [old, now] = [objectsOf(before), objectsOf(after)]
  const [oldShown, nowShown] = [objectsOf(mask(before)), objectsOf(mask(after))]
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((label) => {
    const [from, to] = [old.get(label), now.get(label)]
    if (from === undefined) return [`${label} added`]
    if (to === undefined) return [`${label} removed`]
    return changedFields(from, to).map((field) => {
      const shown = `from ${show(oldShown.get(label)?.[field])} to ${show(nowShown.get(label)?.[field])}`
      return `${label}: ${field} changed ${shown}`
    })
  })
}

function objectsOf(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const objects = new Map<string, JsonObject>()
  for (const channel of channelsOf(document)) objects.set(`channel "${nameOf(channel)}"`, channel)
  for (const [name, model] of modelsOf(document)) objects.set(`model "${name}"`, model)
  for (const name of apiSettings) {
    const value = document[name]
    if (value !== undefined) objects.set(`setting ${name}`, isJsonObject(value) ? value : { value })
  }
  return objects
}

function changedFields(from: JsonObject, to: JsonObject): readonly string[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return fields.filter((field) => !isSameJson(from[field], to[field]))
}

/** The order of members does not count. */
export function isSameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return writeSorted(left) === writeSorted(right)
}

function writeSorted(value: JsonValue | undefined): string | undefined {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
