import { GatewayError } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { createFieldReaders, joinPath } from '../../fields/read-field.ts'

export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `${param}: this field is required.` })
}

/** The error for an invalid field. `demand` completes the sentence "must be …". */
export function invalidField(param: string, demand: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `${param}: must be ${demand}.` })
}

/** Readers that throw errors in the provider's wording, with dotted paths such as `messages.2.content.0`. */
export const {
  readString,
  requireString,
  readBoolean,
  readInteger,
  readObject,
  requireObject,
  readArray,
  requireArray,
  readWord,
  asObject,
} = createFieldReaders({ invalidField, missingField })

/** Reads a number from 0 to 1. Undefined if the field is absent or null. */
export function readShare(object: JsonObject, name: string, path: string): number | undefined {
  const value = object[name] ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  throw invalidField(joinPath(path, name), 'a number from 0 to 1')
}
