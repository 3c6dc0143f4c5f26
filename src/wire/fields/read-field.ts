import { GatewayError } from '../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'

/**
 * Joins a path and a member's name. `path` is the object's path in the body, such as `messages[2]`; the empty string is
 * the body itself.
 */
export function joinPath(path: string, name: string | number): string {
  return path === '' ? `${name}` : `${path}.${name}`
}

/** The errors with which a format reports an invalid field. `demand` continues the sentence "must be …". */
export interface FieldFaults {
  invalidField(param: string, demand: string): GatewayError
  missingField(param: string): GatewayError
}

export function invalidField(param: string, demand: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The field "${param}" must be ${demand}.` })
}

export function missingField(param: string): GatewayError {
  return new GatewayError('missing_field', { param, message: `The field "${param}" is missing.` })
}

type Read<Value> = (object: JsonObject, name: string, path: string) => Value

/** Readers of one field. An optional field that is null is treated as absent. */
export interface FieldReaders {
  readonly readString: Read<string | undefined>
  readonly requireString: Read<string>
  readonly readBoolean: Read<boolean | undefined>
  readonly readNumber: Read<number | undefined>
  readonly readObject: Read<JsonObject | undefined>
  readonly requireObject: Read<JsonObject>
  readonly readArray: Read<readonly JsonValue[] | undefined>
  readonly requireArray: Read<readonly JsonValue[]>
  readInteger(
    object: JsonObject,
    name: string,
    at: { readonly path: string; readonly min: number },
  ): number | undefined
  /** Reads a word that must be one of `words`. */
  readWord<Word extends string>(
    object: JsonObject,
    name: string,
    at: { readonly path: string; readonly words: readonly Word[] },
  ): Word | undefined
  asObject(value: JsonValue | undefined, param: string): JsonObject
}

export function createFieldReaders({ invalidField, missingField }: FieldFaults): FieldReaders {
  const optional =
    <Value extends JsonValue>(is: (value: JsonValue) => value is Value, demand: string) =>
    (object: JsonObject, name: string, path: string): Value | undefined => {
      const value = object[name] ?? undefined
      if (value === undefined || is(value)) return value
      throw invalidField(joinPath(path, name), demand)
    }
  const required =
    <Value>(read: Read<Value | undefined>): Read<Value> =>
    (object, name, path) => {
      const value = read(object, name, path)
      if (value === undefined) throw missingField(joinPath(path, name))
      return value
    }
  const readString = optional((value) => typeof value === 'string', 'a string')
  const readObject = optional(isJsonObject, 'an object')
  const readArray = optional(isJsonArray, 'an array')
  return {
    readString,
    requireString: required(readString),
    readBoolean: optional((value) => typeof value === 'boolean', 'true or false'),
    readNumber: optional((value) => typeof value === 'number', 'a number'),
    readObject,
    requireObject: required(readObject),
    readArray,
    requireArray: required(readArray),
    readInteger(object, name, { path, min }) {
      const value = object[name] ?? undefined
      if (value === undefined) return undefined
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value
      const bound = min === Number.MIN_SAFE_INTEGER ? '' : ` of at least ${min}`
      throw invalidField(joinPath(path, name), `a whole number${bound}`)
    },
    readWord(object, name, { path, words }) {
      const value = object[name] ?? undefined
      if (value === undefined) return undefined
      const word = words.find((known) => known === value)
      if (word !== undefined) return word
      throw invalidField(joinPath(path, name), `one of ${words.map((known) => `"${known}"`).join(', ')}`)
    },
    asObject(value, param) {
      if (isJsonObject(value)) return value
      throw invalidField(param, 'an object')
    },
  }
}

/** Readers whose errors have the wording of OpenAI and Google, with paths such as `messages[2].content`. */
export const {
  readString,
  requireString,
  readBoolean,
  readNumber,
  readInteger,
  readObject,
  requireObject,
  readArray,
  asObject,
} = createFieldReaders({ invalidField, missingField })
