import { isJsonArray, type JsonObject } from '../../../kit/json/json.ts'
import { invalidField, joinPath } from '../../fields/read-field.ts'

/**
 * Reads the stop sequences: one, several, or none. An empty one has no effect, and services of other formats refuse it,
 * so it is omitted. `path` is that of the object. Throws `GatewayError`.
 */
export function readStop(body: JsonObject, path = ''): readonly string[] | undefined {
  const value = body['stop'] ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'string') return value === '' ? undefined : [value]
  if (!isJsonArray(value)) throw invalidField(joinPath(path, 'stop'), 'a string or an array of strings')
  const sequences = value.map((item, index) => {
    if (typeof item === 'string') return item
    throw invalidField(`${joinPath(path, 'stop')}[${index}]`, 'a string')
  })
  const effective = sequences.filter((sequence) => sequence !== '')
  return effective.length === 0 ? undefined : effective
}
