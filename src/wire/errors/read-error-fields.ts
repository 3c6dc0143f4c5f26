import { filledText } from '../../kit/json/filled-text.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { withoutQuotes } from '../fields/without-quotes.ts'

/** The fields of an error, read from any of the known shapes. */
export interface ErrorFields {
  /** The status in the body, where the HTTP status says nothing about the error. */
  readonly status?: number
  readonly type?: string
  readonly code?: string
  readonly message?: string
  readonly param?: string
  /** All fields in lower case, for matching. */
  readonly text: string
  /** All fields in lower case, without the parts of the message that quote the request. */
  readonly ownText: string
}

const MAX_MESSAGE_LENGTH = 2048

/**
 * Finds the error in an answer that should contain a completion; undefined where there is none. Known shapes:
 * `{"error": {…}}`, `{"error": "…"}`, `{"object": "error", …}`, `{"type": "error", …}`, `{"code": …, "message": …}`,
 * `{"detail": …}`, and MiniMax's `{"base_resp": {"status_code": …}}`.
 */
export function findError(body: JsonObject): ErrorFields | undefined {
  if (isStated(body['error'])) return readErrorFields(body)
  if (body['object'] === 'error' || body['type'] === 'error') return readErrorFields(body)
  if (isJsonArray(body['choices'])) return undefined
  const base = body['base_resp']
  if (isJsonObject(base) && isStated(base['status_code'])) return readErrorFields(base)
  const hasCode = ['code', 'status', 'status_code', 'error_code'].some((name) => isStated(body[name]))
  if (isStated(body['detail']) || (isStated(body['message']) && hasCode)) return readErrorFields(body)
  return undefined
}

function isStated(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false
}

/** Reads an error's fields. Never throws. A body without information gives empty text. */
export function readErrorFields(value: JsonValue | undefined): ErrorFields {
  if (typeof value === 'string') return fromParts({ message: value })
  if (isJsonArray(value)) return readErrorFields(value[0])
  if (!isJsonObject(value)) return { text: '', ownText: '' }
  const error = value['error']
  if (typeof error === 'string' && error !== '') {
    return fromParts({ ...partsOf(value), message: messageOf(value) ?? error, type: error })
  }
  const inner = isJsonObject(error) ? error : undefined
  return fromParts({ ...partsOf(value), ...(inner === undefined ? {} : partsOf(inner)) })
}

type ErrorParts = Omit<ErrorFields, 'text' | 'ownText'> & { readonly more?: string }

function fromParts(parts: ErrorParts): ErrorFields {
  const { more, ...fields } = parts
  const own = fields.message === undefined ? undefined : withoutQuotes(fields.message)
  return {
    ...fields,
    text: joinLower([fields.type, fields.code, fields.message, more]),
    ownText: joinLower([fields.type, fields.code, own, more]),
  }
}

function joinLower(parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined)
    .join('\n')
    .toLowerCase()
}

function partsOf(error: JsonObject): ErrorParts {
  const code = error['code'] ?? error['error_code']
  const { type, param, metadata } = error
  return omitUndefined({
    status: statusOf(error['status_code']) ?? statusOf(code) ?? statusOf(error['status']),
    type: filledText(type) ?? filledText(error['status']),
    code: typeof code === 'number' ? String(code) : filledText(code),
    message: messageOf(error),
    param: filledText(param) ?? pathOf(error['detail']),
    // OpenRouter puts the message of the provider that it called into a separate field.
    more: isJsonObject(metadata) ? JSON.stringify(metadata) : undefined,
  })
}

function messageOf(error: JsonObject): string | undefined {
  const detail = error['detail']
  const first = isJsonArray(detail) ? detail[0] : detail
  const text =
    filledText(error['message']) ??
    filledText(error['status_msg']) ??
    filledText(error['msg']) ??
    filledText(first) ??
    (isJsonObject(first) ? (filledText(first['msg']) ?? filledText(first['message'])) : undefined)
  return text?.slice(0, MAX_MESSAGE_LENGTH)
}

/** FastAPI names the field at fault as a path: `["body", "messages", 0]`. */
function pathOf(detail: JsonValue | undefined): string | undefined {
  const first = isJsonArray(detail) ? detail[0] : undefined
  const path = isJsonObject(first) ? first['loc'] : undefined
  if (!isJsonArray(path)) return undefined
  const names = path
    .filter((name) => typeof name === 'string' || typeof name === 'number')
    .filter((name) => name !== 'body')
  return names.length === 0 ? undefined : names.join('.')
}

function statusOf(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined
}
