import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/**
 * Readers of one field of an object. `path` is where the object stands, in the provider's dotted style
 * (`messages.2.content.0`); the empty text is the body itself. An optional field that is null counts as absent.
 */
export interface FieldOf {
  readonly object: JsonObject
  readonly path: string
  readonly name: string
}

export function fieldPath(path: string, name: string | number): string {
  return path === '' ? `${name}` : `${path}.${name}`
}

export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `${param}: this field is required.` })
}

/** `demand` continues the sentence "must be …". */
export function invalidField(param: string, demand: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `${param}: must be ${demand}.` })
}

export function readObject(value: JsonValue | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value
  throw invalidField(path, 'an object')
}

export function optionalString(field: FieldOf): string | undefined {
  const value = optionalValue(field)
  if (value === undefined || typeof value === 'string') return value
  throw invalidField(fieldPath(field.path, field.name), 'a string')
}

export function requiredString(field: FieldOf): string {
  return required(field, optionalString(field))
}

export function optionalBoolean(field: FieldOf): boolean | undefined {
  const value = optionalValue(field)
  if (value === undefined || typeof value === 'boolean') return value
  throw invalidField(fieldPath(field.path, field.name), 'true or false')
}

export function optionalNumber(
  field: FieldOf,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  const value = optionalValue(field)
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= range.min && value <= range.max) return value
  throw invalidField(fieldPath(field.path, field.name), `a number from ${range.min} to ${range.max}`)
}

export function optionalInteger(field: FieldOf, min: number): number | undefined {
  const value = optionalValue(field)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value
  throw invalidField(fieldPath(field.path, field.name), `a whole number of at least ${min}`)
}

export function optionalObject(field: FieldOf): JsonObject | undefined {
  const value = optionalValue(field)
  if (value === undefined || isJsonObject(value)) return value
  throw invalidField(fieldPath(field.path, field.name), 'an object')
}

export function requiredObject(field: FieldOf): JsonObject {
  return required(field, optionalObject(field))
}

export function optionalArray(field: FieldOf): readonly JsonValue[] | undefined {
  const value = optionalValue(field)
  if (value === undefined || isJsonArray(value)) return value
  throw invalidField(fieldPath(field.path, field.name), 'an array')
}

export function requiredArray(field: FieldOf): readonly JsonValue[] {
  return required(field, optionalArray(field))
}

/** One of some words. */
export function optionalWord<Word extends string>(field: FieldOf, words: readonly Word[]): Word | undefined {
  const value = optionalValue(field)
  if (value === undefined) return undefined
  const word = words.find((known) => known === value)
  if (word !== undefined) return word
  throw invalidField(
    fieldPath(field.path, field.name),
    `one of ${words.map((known) => `"${known}"`).join(', ')}`,
  )
}

function optionalValue({ object, name }: FieldOf): JsonValue | undefined {
  return object[name] ?? undefined
}

function required<Value>({ path, name }: FieldOf, value: Value | undefined): Value {
  if (value === undefined) throw missingField(fieldPath(path, name))
  return value
}
