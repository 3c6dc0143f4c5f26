import type { ErrorCode } from '../../../canonical/error-table.ts'
import { codesByStatus } from '../../errors/codes-by-status.ts'
import { judgeMissing } from '../../errors/judge-missing.ts'

/** The details of an error of Amazon Bedrock. */
export interface ErrorDetails {
  /** The error's name, such as `ThrottlingException`. Empty if the error has no name. */
  readonly name: string
  /** Absent if the error arrived inside a stream that had already started. */
  readonly status?: number | undefined
  readonly message: string
  /** Whether the request named an object stored in the cloud. */
  readonly namesStoredObjects?: boolean | undefined
}

/**
 * The names of exceptions, without their last word and in lower case (API_runtime_Converse.html#…_Errors,
 * troubleshooting-api-error-codes.html and the common errors of every AWS service, seen 2026-11-20).
 */
const codesByName: ReadonlyMap<string, ErrorCode> = new Map([
  ['accessdenied', 'upstream_credential'],
  ['expiredtoken', 'upstream_credential'],
  ['incompletesignature', 'upstream_credential'],
  ['invalidclienttokenid', 'upstream_credential'],
  ['invalidsignature', 'upstream_credential'],
  ['missingauthenticationtoken', 'upstream_credential'],
  ['notauthorized', 'upstream_credential'],
  ['optinrequired', 'upstream_credential'],
  ['requestexpired', 'upstream_credential'],
  ['signaturedoesnotmatch', 'upstream_credential'],
  ['unrecognizedclient', 'upstream_credential'],
  ['throttling', 'upstream_rate_limited'],
  ['toomanyrequests', 'upstream_rate_limited'],
  ['servicequotaexceeded', 'upstream_rate_limited'],
  ['modelnotready', 'upstream_overloaded'],
  ['serviceunavailable', 'upstream_overloaded'],
  ['resourcenotfound', 'upstream_model_missing'],
  ['modeltimeout', 'upstream_timeout'],
  ['internalserver', 'upstream_error'],
  ['internalfailure', 'upstream_error'],
  ['modelerror', 'upstream_error'],
  ['modelstreamerror', 'upstream_error'],
  ['validation', 'upstream_rejected'],
])

const tooLong =
  /(?:input|prompt) is too long|too many (?:input )?tokens|context[ _](?:length|window|limit)|input length and|maximum (?:context|tokens|number of tokens)|exceeds? the (?:model|max)\w* .{0,30}(?:tokens|length)/i
const noModel =
  /model identifier is invalid|on-demand throughput isn.t supported|model .{0,80}(?:not found|does not exist|end of its life|is not available|isn.t available|not supported in (?:this|the) region)|could not resolve the foundation model|access to this model is not available/i
const noAccount = /^operation not allowed$|account (?:is )?not authorized|security token|api key/i
const underPolicy = /content[ _-]?(?:filter|polic|moderation)|blocked by|usage polic/i
const overloaded = /overloaded|too busy|at capacity|try again later|unable to process your request/i

/** The row of the error table for an error of Amazon Bedrock. */
export function classifyError(signs: ErrorDetails): ErrorCode {
  const { name, status, message } = signs
  const found = codesByName.get(shortName(name)) ?? codeOfStatus(status)
  if (isObjectMissing(found, signs)) return 'upstream_rejected'
  if (found === 'upstream_error') return overloaded.test(message) ? 'upstream_overloaded' : found
  if (found !== 'upstream_rejected') return found
  if (tooLong.test(message)) return 'context_length_exceeded'
  if (noModel.test(message)) return 'upstream_model_missing'
  if (noAccount.test(message.trim())) return 'upstream_credential'
  return underPolicy.test(message) ? 'content_policy_violation' : found
}

/**
 * Whether an object that the caller names is missing. The text of the error decides whether a refusal is the fault of
 * our credential. If an object is missing, the request decides too.
 */
function isObjectMissing(found: ErrorCode, { name, status, message, namesStoredObjects }: ErrorDetails) {
  const isRefused = shortName(name) === 'accessdenied' || (name === '' && status === 403)
  if (message === '' || (found !== 'upstream_model_missing' && !isRefused)) return false
  const signs = { text: message, namesStoredObjects: namesStoredObjects === true && !isRefused }
  return judgeMissing(signs) === 'object'
}

/** The short form of a name: `com.amazon.coral.service#ThrottlingException:http://…` equals `throttlingException`. */
function shortName(name: string): string {
  const bare = name.split(':')[0]?.split('#').at(-1) ?? ''
  return bare
    .trim()
    .toLowerCase()
    .replace(/(?:exception|error)$/, '')
}

function codeOfStatus(status: number | undefined): ErrorCode {
  if (status === undefined) return 'upstream_error'
  if (status < 400) return 'upstream_bad_response'
  return codesByStatus.get(status) ?? 'upstream_error'
}
