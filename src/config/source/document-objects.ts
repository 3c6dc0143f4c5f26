import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'

/** The entries of a document's `channels`; none where it has none. */
export function channelsOf(document: JsonObject): readonly JsonObject[] {
  const { channels } = document
  return isJsonArray(channels) ? channels.filter(isJsonObject) : []
}

/** The entries of a document's `models`, by public name. */
export function modelsOf(document: JsonObject): ReadonlyMap<string, JsonObject> {
  const { models } = document
  if (!isJsonObject(models)) return new Map()
  const entries = Object.entries(models).filter((entry): entry is [string, JsonObject] =>
    isJsonObject(entry[1]),
  )
  return new Map(entries)
}

/** The document with these channels; without the section if the list is empty. */
export function withChannels(
  { channels: _, ...rest }: JsonObject,
  channels: readonly JsonObject[],
): JsonObject {
  return channels.length === 0 ? rest : { ...rest, channels }
}

export function withModels(
  { models: _, ...rest }: JsonObject,
  models: Iterable<readonly [string, JsonValue]>,
): JsonObject {
  const entries = [...models]
  return entries.length === 0 ? rest : { ...rest, models: Object.fromEntries(entries) }
}

/** Empty where it has none that is a text. */
export function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : ''
}
