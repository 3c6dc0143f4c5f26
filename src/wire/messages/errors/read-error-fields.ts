import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** The fields of an error, as far as they could be read. */
export interface ErrorFields {
  readonly type?: string
  readonly code?: string
  readonly message?: string
  readonly param?: string
  /** Details that the provider's SDK uses to recover, identified by their `error_code`. */
  readonly details?: JsonObject
}

/** Longer messages are truncated, since they may echo the whole prompt. */
const MAX_MESSAGE_CHARACTERS = 2048

/**
 * Reads the error in `{"type":"error","error":{…}}`, in `{"error":{…}}` or `{"error":"…"}`, and in the bare objects
 * that some servers of the format send. Undefined if the value is not an error.
 */
export function readErrorFields(value: JsonValue | undefined): ErrorFields | undefined {
  if (!isJsonObject(value)) return undefined
  const { error } = value
  if (isJsonObject(error)) return readFields(error)
  if (typeof error === 'string' && error !== '') return readFields({ message: error })
  const isError = value['type'] === 'error' || value['object'] === 'error'
  if (isError) return readFields({ ...value, type: null })
  return isBareError(value) ? readFields(value) : readBaseError(value['base_resp'])
}

/** Whether a value is an error of the form `{"code":…,"message":"…"}`. Nothing else in the format has this shape. */
function isBareError({ type, code, message }: JsonObject): boolean {
  return type === undefined && typeof message === 'string' && (typeof code === 'string' || isCount(code))
}

/** Reads MiniMax's `{"base_resp":{"status_code":…,"status_msg":"…"}}`. The code 0 means success. */
function readBaseError(base: JsonValue | undefined): ErrorFields | undefined {
  if (!isJsonObject(base) || !isCount(base['status_code']) || base['status_code'] === 0) return undefined
  return readFields({ message: base['status_msg'] ?? null })
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number'
}

/** Reads the fields of a value that is known to be an error, of any shape. */
export function readAnyErrorFields(value: JsonValue | undefined): ErrorFields {
  const fields = readErrorFields(value)
  if (fields !== undefined) return fields
  if (!isJsonObject(value)) return {}
  const { detail } = value
  if (typeof detail === 'string') return readFields({ message: detail, ...value })
  const first = isJsonArray(detail) ? detail[0] : detail
  return readFields(isJsonObject(first) ? { message: first['msg'] ?? null, ...value, detail: null } : value)
}

function readFields(error: JsonObject): ErrorFields {
  const { type, code, param, details } = error
  const message = error['message'] ?? error['detail']
  return {
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof message === 'string' ? { message: cut(message) } : {}),
    ...(typeof param === 'string' ? { param } : {}),
    ...(isJsonObject(details) && typeof details['error_code'] === 'string' ? { details } : {}),
  }
}

function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARACTERS) return message
  return `${message.slice(0, MAX_MESSAGE_CHARACTERS - 1).toWellFormed()}…`
}
