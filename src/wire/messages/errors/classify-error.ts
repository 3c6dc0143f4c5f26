import type { ErrorCode } from '../../../canonical/error-table.ts'
import { codesByStatus } from '../../errors/codes-by-status.ts'
import { judgeMissing } from '../../errors/judge-missing.ts'
import { withoutQuotes } from '../../fields/without-quotes.ts'

/** The facts of an upstream's error. `status` is absent if the error arrived inside a successful answer. */
export interface ErrorDetails {
  readonly status?: number
  readonly type?: string
  readonly code?: string
  readonly message?: string
  /** The provider's `error_code`, which its SDK uses to recover. */
  readonly errorCode?: string
  /** Whether the request names an object that the provider stores. */
  readonly namesStoredObjects?: boolean
}

/** Types that are more precise than any status. `invalid_request_error` and `api_error` have too many meanings. */
const codesByType: ReadonlyMap<string, ErrorCode> = new Map([
  ['authentication_error', 'upstream_credential'],
  ['permission_error', 'upstream_credential'],
  ['billing_error', 'upstream_quota'],
  ['not_found_error', 'upstream_model_missing'],
  ['request_too_large', 'request_too_large'],
  ['rate_limit_error', 'upstream_rate_limited'],
  ['timeout_error', 'upstream_timeout'],
  ['overloaded_error', 'upstream_overloaded'],
])

/** The statuses of the Messages API: the common ones, and two more for a conflict and an overload. */
const ownCodes: ReadonlyMap<number, ErrorCode> = new Map([
  ...codesByStatus,
  [409, 'upstream_rejected'],
  [529, 'upstream_overloaded'],
])

const outOfCredit =
  /credit balance is too low|out of credits?\b|insufficient[ _](?:quota|credits?|balance|funds)|exceeded your current quota|billing[ _](?:hard[ _]limit|not active)/i
const tooLong =
  /prompt is too long|context[ _](?:length|window|limit)|input (?:is|length).{0,40}(?:too long|exceed)|maximum (?:context|prompt) length|exceed(?:s|ed)?.{0,40}\bcontext\b/i
const overloaded = /overloaded|over capacity|at capacity|temporarily unavailable|service unavailable/i
const tooMany = /rate[ _-]?limit|too many requests/i
/** Messages about access that this gateway's own account or key lacks. */
const ownAccess = /oauth|credential|organization|authenticat/i
const underPolicy = /content[ _]?(?:filter|polic|management)|usage policy|safety system/i

/** The row of the error table for an upstream's error (docs/invariants.md, F12 to F22). */
export function classifyError(signs: ErrorDetails): ErrorCode {
  const { status, type, code, message = '' } = signs
  const found = codeOf(status, type)
  if (isObjectMissing(found, signs)) return 'upstream_rejected'
  const isServerFault = status !== undefined && status >= 500
  if (!isServerFault && outOfCredit.test(`${code ?? ''} ${type ?? ''} ${withoutQuotes(message)}`))
    return 'upstream_quota'
  // The SDK recovers from these errors by itself: if a thread is gone, the SDK sends the whole thread again.
  if (signs.errorCode !== undefined && (status === 404 || type === 'not_found_error'))
    return 'upstream_rejected'
  if (found === 'upstream_error' && status === undefined) return codeOfMessage(message) ?? found
  if (found !== 'upstream_rejected') return found
  if (tooLong.test(`${code ?? ''} ${message}`)) return 'context_length_exceeded'
  return underPolicy.test(`${code ?? ''} ${message}`) ? 'content_policy_violation' : found
}

/** Whether the caller's own object is missing. The service reports this like a missing model or a bad credential. */
function isObjectMissing(found: ErrorCode, signs: ErrorDetails): boolean {
  const { status, type, message = '', namesStoredObjects } = signs
  const isRefused = found === 'upstream_credential' && (status === 403 || type === 'permission_error')
  if (message === '' || (found !== 'upstream_model_missing' && !isRefused)) return false
  const isOurs = ownAccess.test(message) || outOfCredit.test(message)
  return (
    judgeMissing({ text: message, namesStoredObjects: namesStoredObjects === true && !isOurs }) === 'object'
  )
}

/** The code of an error that names neither a status nor a known type. */
function codeOfMessage(message: string): ErrorCode | undefined {
  if (overloaded.test(message)) return 'upstream_overloaded'
  return tooMany.test(message) ? 'upstream_rate_limited' : undefined
}

function codeOf(status: number | undefined, type: string | undefined): ErrorCode {
  const byType = codesByType.get(type ?? '')
  if (byType !== undefined) return byType
  if (status === undefined) return type === 'invalid_request_error' ? 'upstream_rejected' : 'upstream_error'
  if (status < 400) return 'upstream_bad_response'
  return ownCodes.get(status) ?? 'upstream_error'
}
