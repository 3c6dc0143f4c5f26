import type { ErrorCode } from '../../canonical/error-table.ts'
import { createFailure, type Failure } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { UpstreamError } from '../wire-format.ts'
import { callerFaults, passingFaults } from './caller-faults.ts'
import { classifyError } from './classify-error.ts'
import { parseOrText } from './parse-or-text.ts'
import { type ErrorFields, findError, readErrorFields } from './read-error-fields.ts'
import { readRetryAfter } from './read-retry-after.ts'

export function readError(answer: UpstreamError): Failure {
  const { status, headers, body, namesStoredObjects } = answer
  const text = body.toString('utf8').trim()
  const isPage = text.startsWith('<') || (headers['content-type'] ?? '').includes('text/html')
  const parsed = isPage ? '' : parseOrText(text)
  const fields = isPage ? { text: '', ownText: '' } : readErrorFields(parsed)
  const code = classifyError(status, fields.text, { ...contextOf(fields), isPage, namesStoredObjects })
  const retryAfterSeconds = passingFaults.has(code) ? readRetryAfter(answer) : undefined
  const failure = failureOf(code, fields, status)
  // The gateway forwards an error unchanged only if clients of the format can read it.
  if (!callerFaults.has(code) || !hasOwnForm(parsed)) return omitUndefined({ ...failure, retryAfterSeconds })
  return { ...failure, upstream: { ...fieldsForLog(fields, status), body } }
}

/** Whether an error has the format's own shape. Many servers of the format use other shapes. */
function hasOwnForm(body: JsonValue): boolean {
  const error = isJsonObject(body) ? body['error'] : undefined
  return isJsonObject(error) && typeof error['message'] === 'string'
}

/** Returns the failure in a body with a successful status; undefined where the body is an answer. */
export function readErrorInAnswer(body: JsonObject): Failure | undefined {
  const fields = findError(body)
  return fields === undefined ? undefined : failureFromFields(fields)
}

/** Reads an error inside a stream or a successful answer, in any shape. */
export function readStreamError(value: JsonValue): Failure {
  return failureFromFields(readErrorFields(value))
}

function failureFromFields(fields: ErrorFields): Failure {
  return failureOf(classifyError(fields.status, fields.text, contextOf(fields)), fields, fields.status ?? 200)
}

function contextOf({ param, ownText }: ErrorFields) {
  return { param, ownText }
}

function failureOf(code: ErrorCode, fields: ErrorFields, status: number): Failure {
  const isCallers = callerFaults.has(code)
  return createFailure(
    code,
    omitUndefined({
      ...(isCallers && fields.message !== undefined ? { message: fields.message } : {}),
      param: isCallers ? fields.param : undefined,
      upstream: fieldsForLog(fields, status),
    }),
  )
}

function fieldsForLog(fields: ErrorFields, status: number) {
  const { type, code, message, param } = fields
  return { status, ...omitUndefined({ type, code, message, param }) }
}
