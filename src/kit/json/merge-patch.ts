import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** Applies a JSON Merge Patch (RFC 7396): members are replaced, maps are merged, null removes a member. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergeValue(merged.get(name), value))
  }
  return Object.fromEntries(merged)
}

function mergeValue(target: JsonValue | undefined, patch: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(patch)) return patch
  return mergePatch(isJsonObject(target) ? target : {}, patch)
}
