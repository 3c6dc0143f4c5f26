import { filledText } from '../../../kit/json/filled-text.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
} from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'

/**
 * The fields of a Google error: `{"error": {"code": 429, "message": "…", "status": "RESOURCE_EXHAUSTED",
 * "details": […]}}`, by itself or, if a stream was requested, in a list of one. Each detail names its kind.
 * https://google.aip.dev/193 and recorded errors, 2025 and 2026.
 */
export interface ErrorFields {
  /** The status in the body. It states the error even if the HTTP status of the answer is a success. */
  readonly code?: number
  /** The status, such as `INVALID_ARGUMENT`. */
  readonly status?: string
  readonly message?: string
  /** The reason, such as `API_KEY_INVALID`. */
  readonly reason?: string
  /** The limits that were exceeded, such as `GenerateRequestsPerMinutePerProjectPerModel-FreeTier`. */
  readonly quotaIds: readonly string[]
  readonly retryAfterSeconds?: number
  /** The field of the request that was wrong. */
  readonly param?: string
}

const MAX_MESSAGE_LENGTH = 2048

/** Reads the fields of a Google error. Undefined if the value is not such an error. Never throws. */
export function readErrorFields(value: JsonValue | undefined): ErrorFields | undefined {
  const holder = isJsonArray(value) ? value[0] : value
  const error = isJsonObject(holder) ? holder['error'] : undefined
  if (!isJsonObject(error)) return undefined
  const { code, status, message } = error
  const details = objectsIn(error['details'])
  const reasons = details
    .filter((detail) => kindOf(detail) === 'ErrorInfo')
    .map(({ reason }) => filledText(reason))
  return omitUndefined({
    code: typeof code === 'number' ? code : undefined,
    status: filledText(status),
    message: filledText(message)?.slice(0, MAX_MESSAGE_LENGTH),
    reason: reasons.find((reason) => reason !== undefined),
    quotaIds: details.flatMap(readQuotaIds),
    retryAfterSeconds: details.map(readDelay).find((delay) => delay !== undefined),
    param: details.map(readField).find((field) => field !== undefined),
  })
}

/** The kind of a detail: the last part of its type URL. */
function kindOf(detail: JsonObject): string {
  return (filledText(detail['@type']) ?? '').replace(/^.*\./, '')
}

function readQuotaIds(detail: JsonObject): readonly string[] {
  if (kindOf(detail) !== 'QuotaFailure' || !isJsonArray(detail['violations'])) return []
  return detail['violations'].flatMap((violation) => {
    const id = isJsonObject(violation) ? filledText(violation['quotaId']) : undefined
    return id === undefined ? [] : [id]
  })
}

/** Reads the seconds of a duration in proto JSON, such as `34.4s`. */
function readDelay(detail: JsonObject): number | undefined {
  if (kindOf(detail) !== 'RetryInfo') return undefined
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(filledText(detail['retryDelay']) ?? '')?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}

function readField(detail: JsonObject): string | undefined {
  if (kindOf(detail) !== 'BadRequest' || !isJsonArray(detail['fieldViolations'])) return undefined
  const [violation] = detail['fieldViolations']
  return isJsonObject(violation) ? filledText(violation['field']) : undefined
}
