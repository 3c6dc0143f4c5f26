import type { ErrorCode } from '../../../canonical/error-table.ts'
import { classifyError as classifyByText } from '../../errors/classify-error.ts'
import { judgeMissing } from '../../errors/judge-missing.ts'
import { withoutQuotes } from '../../fields/without-quotes.ts'
import type { ErrorFields } from './read-error-fields.ts'

/** Reasons are more precise than any status: an invalid key, for example, is refused with 400 (recorded, 2025). */
const reasons: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^BILLING_|^ACCOUNT_STATE_/, 'upstream_quota'],
  [
    /^API_KEY_|^ACCESS_TOKEN_|^CREDENTIALS_|^CONSUMER_|^SERVICE_DISABLED|^IAM_|^USER_PROJECT_DENIED/,
    'upstream_credential',
  ],
  [/^RATE_LIMIT_EXCEEDED/, 'upstream_rate_limited'],
]

/**
 * Statuses that mean exactly one row of the error table (https://ai.google.dev/gemini-api/docs/troubleshooting, seen
 * 2026-11-20).
 */
const codeOfStatus: ReadonlyMap<string, ErrorCode> = new Map([
  ['UNAUTHENTICATED', 'upstream_credential'],
  ['PERMISSION_DENIED', 'upstream_credential'],
  ['NOT_FOUND', 'upstream_model_missing'],
  ['UNAVAILABLE', 'upstream_overloaded'],
  ['DEADLINE_EXCEEDED', 'upstream_timeout'],
  ['INTERNAL', 'upstream_error'],
  ['UNKNOWN', 'upstream_error'],
  ['DATA_LOSS', 'upstream_error'],
  ['ABORTED', 'upstream_error'],
  ['CANCELLED', 'upstream_error'],
  ['UNIMPLEMENTED', 'upstream_error'],
])

/** A daily limit does not reset within the time that a caller waits. */
const OF_THE_DAY = /PerDay/i
const NO_CREDIT =
  /credits? (?:are|is) depleted|prepayment|billing (?:account|is not)|limit: 0\b|spend(?:ing)? (?:cap|limit)/i
const BAD_KEY =
  /api[ _-]?key (?:not valid|not found|expired|was reported)|pass a valid api key|renew the api key/i
const LOCATION_REFUSED = /user location is not supported|not available in your (?:country|region)/i

/** Google Cloud lets a project use only some models. */
const NO_LEAVE_FOR_MODEL = /not allowed to use publisher model/i
/** Messages about access that this gateway's own account or key lacks. */
const OWN_ACCESS =
  /api key|unregistered callers|credential|authenticat|billing|has not been used in project|suspended/i

/**
 * Finds the kind of an error and which side is at fault. `status` is the HTTP status of the answer. It is undefined if
 * the error arrived inside a stream or a successful answer.
 */
export function classifyError(
  status: number | undefined,
  fields: ErrorFields,
  namesStoredObjects = false,
): ErrorCode {
  const { reason = '', message = '', status: name = '' } = fields
  const byReason = reasons.find(([pattern]) => pattern.test(reason))?.[1]
  if (name === 'RESOURCE_EXHAUSTED' || (name === '' && status === 429)) return classifyExhausted(fields)
  if (isObjectMissing(status, fields, namesStoredObjects)) return 'upstream_rejected'
  const own = withoutQuotes(message)
  if (NO_LEAVE_FOR_MODEL.test(own)) return 'upstream_model_missing'
  if (byReason !== undefined) return byReason
  if (BAD_KEY.test(own)) return 'upstream_credential'
  // The account or the region of this gateway is at fault, not the caller's request.
  if (name === 'FAILED_PRECONDITION' && /billing|free tier/i.test(own)) return 'upstream_quota'
  if (LOCATION_REFUSED.test(own)) return 'upstream_credential'
  return (
    codeOfStatus.get(name) ??
    classifyByText(fields.code ?? status, `${name}\n${message}`.toLowerCase(), {
      ownText: `${name}\n${own}`.toLowerCase(),
    })
  )
}

/** Whether the caller's own object is missing. The service reports this like a missing model or a bad credential. */
function isObjectMissing(status: number | undefined, fields: ErrorFields, namesObjects: boolean): boolean {
  const { reason, message = '', status: name = '' } = fields
  const isRefused = name === '' ? status === 403 : name === 'PERMISSION_DENIED'
  if (!isRefused && name !== 'NOT_FOUND' && !(name === '' && status === 404)) return false
  const isOurs = isRefused && (reason !== undefined || OWN_ACCESS.test(message))
  return judgeMissing({ text: message, namesStoredObjects: namesObjects && !isOurs }) === 'object'
}

/** Tells a limit per minute, where waiting helps, from an exhausted account: both have the same status and text. */
function classifyExhausted({ message = '', quotaIds, reason }: ErrorFields): ErrorCode {
  if (NO_CREDIT.test(message) || quotaIds.some((id) => OF_THE_DAY.test(id))) return 'upstream_quota'
  return reason !== undefined && /^BILLING_/.test(reason) ? 'upstream_quota' : 'upstream_rate_limited'
}
