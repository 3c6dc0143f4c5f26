import type { JsonObject } from '../../kit/json/json.ts'
import { invalidField, joinPath, readArray } from './read-field.ts'

/** Reads the field `stopSequences`; undefined where it is absent or empty. Throws `invalid_field`. */
export function readStopSequences(config: JsonObject, path: string): readonly string[] | undefined {
  const stops = readArray(config, 'stopSequences', path) ?? []
  const words = stops.filter((stop) => typeof stop === 'string')
  if (words.length < stops.length) throw invalidField(joinPath(path, 'stopSequences'), 'an array of strings')
  return words.length === 0 ? undefined : words
}
