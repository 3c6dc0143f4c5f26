import { GatewayError } from '../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'

/**
 * Readers of one field. `path` is where the object stands in the body, as `messages[2]`; the empty text is the body
 * itself. An optional field that is null counts as absent.
 */
export function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** `demand` continues the sentence "must be …". */
export function invalidField(param: string, demand: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${demand}.` })
}

export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `The field "${param}" is missing.` })
}

export function readString(object: JsonObject, name: string, path: string): string | undefined {
  const value = object[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw invalidField(joinPath(path, name), 'a string')
}

export function requireString(object: JsonObject, name: string, path: string): string {
  const value = readString(object, name, path)
  if (value === undefined) throw missingField(joinPath(path, name))
  return value
}

export function readBoolean(object: JsonObject, name: string, path: string): boolean | undefined {
  const value = object[name] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidField(joinPath(path, name), 'true or false')
}

export function readNumber(object: JsonObject, name: string, path: string): number | undefined {
  const value = object[name] ?? undefined
  if (value === undefined || typeof value === 'number') return value
  throw invalidField(joinPath(path, name), 'a number')
}

export function readInteger(
  object: JsonObject,
  name: string,
  { path, min }: { readonly path: string; readonly min: number },
): number | undefined {
  const value = object[name] ?? undefined
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value
  const bound = min === Number.MIN_SAFE_INTEGER ? '' : ` of at least ${min}`
  throw invalidField(joinPath(path, name), `a whole number${bound}`)
}

export function readObject(object: JsonObject, name: string, path: string): JsonObject | undefined {
  const value = object[name] ?? undefined
  if (value === undefined) return undefined
  return asObject(value, joinPath(path, name))
}

export function requireObject(object: JsonObject, name: string, path: string): JsonObject {
  const value = readObject(object, name, path)
  if (value === undefined) throw missingField(joinPath(path, name))
  return value
}

export function readArray(object: JsonObject, name: string, path: string): readonly JsonValue[] | undefined {
  const value = object[name] ?? undefined
  if (value === undefined || isJsonArray(value)) return value
  throw invalidField(joinPath(path, name), 'an array')
}

export function asObject(value: JsonValue | undefined, param: string): JsonObject {
  if (isJsonObject(value)) return value
  throw invalidField(param, 'an object')
}
