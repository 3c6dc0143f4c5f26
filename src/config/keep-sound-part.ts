import { isJsonArray, isJsonObject, type JsonValue } from '../kit/json.ts'
import type { ConfigPath } from './read-yaml.ts'

/**
 * The document without the values at these paths, so that all else of it can be checked, too. Of lists no item is taken
 * away, or those behind it would have other places: what holds the item goes as a whole.
 */
export function keepSoundPart(value: JsonValue, paths: readonly ConfigPath[]): JsonValue {
  return paths.reduce<JsonValue>((sound, path) => without(sound, path), value)
}

function without(value: JsonValue, path: ConfigPath): JsonValue {
  const lastName = path.findLastIndex((step) => typeof step === 'string')
  return drop(value, path.slice(0, lastName + 1))
}

function drop(value: JsonValue, [step, ...rest]: ConfigPath): JsonValue {
  if (step === undefined) return value
  if (isJsonArray(value)) {
    return value.map((item, index) => (index === Number(step) ? drop(item, rest) : item))
  }
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name !== String(step)) return [[name, member] as const]
    return rest.length === 0 || member === undefined ? [] : [[name, drop(member, rest)] as const]
  })
  return Object.fromEntries(members)
}
