import { isJsonArray, type JsonObject } from '../../../kit/json/json.ts'
import { invalidField } from '../../fields/read-field.ts'

/** Reads the stop sequences: one, several, or none. Throws `GatewayError`. */
export function readStop(body: JsonObject): readonly string[] | undefined {
  const value = body['stop'] ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'string') return [value]
  if (!isJsonArray(value)) throw invalidField('stop', 'a string or an array of strings')
  const sequences = value.map((item, index) => {
    if (typeof item === 'string') return item
    throw invalidField(`stop[${index}]`, 'a string')
  })
  return sequences.length === 0 ? undefined : sequences
}
