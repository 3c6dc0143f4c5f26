import type { ErrorCode } from '../../../canonical/error-table.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { tryParsePlainJson } from '../../../kit/json/try-parse-json.ts'
import { callerFaults, passingFaults } from '../../errors/caller-faults.ts'
import { readError as readOtherError, readErrorInAnswer as readOtherInside } from '../../errors/read-error.ts'
import { readRetryAfter } from '../../errors/read-retry-after.ts'
import type { UpstreamError } from '../../wire-format.ts'
import { classifyError } from './classify-error.ts'
import { type ErrorFields, readErrorFields } from './read-error-fields.ts'

/** An answer without Google's shape is read like any other. */
export function readError(answer: UpstreamError): Failure {
  const { status, body, namesStoredObjects } = answer
  const parsed = parseOrNothing(body)
  const fields = readErrorFields(parsed)
  if (fields === undefined) return withoutBody(readOtherError(answer))
  const code = classifyError(status, fields, namesStoredObjects)
  const retryAfterSeconds = passingFaults.has(code) ? findWait(answer, fields) : undefined
  const failure = omitUndefined({ ...failureOf(code, fields, status), retryAfterSeconds })
  if (!callerFaults.has(code) || failure.upstream === undefined) return failure
  // The gateway hands on word for word only what clients of the format can read.
  if (fields.code === undefined || fields.message === undefined) return failure
  // Callers get as one object what a list of one contains.
  const whole = isJsonArray(parsed) ? Buffer.from(JSON.stringify(parsed[0])) : body
  return { ...failure, upstream: { ...failure.upstream, body: whole } }
}

/** The error of another format is written anew for callers of this one. */
function withoutBody(failure: Failure): Failure {
  if (failure.upstream === undefined) return failure
  const { body: _body, ...upstream } = failure.upstream
  return { ...failure, upstream }
}

/** The failure that a chunk of a stream, or a body under a good status, holds; undefined where it holds none. */
export function readErrorInAnswer(body: JsonObject): Failure | undefined {
  const fields = readErrorFields(body)
  if (fields !== undefined) return failureOf(classifyError(undefined, fields), fields, fields.code ?? 200)
  return isAnswer(body) ? undefined : readOtherInside(body)
}

function isAnswer({ candidates, usageMetadata, promptFeedback }: JsonObject): boolean {
  return isJsonArray(candidates) || isJsonObject(usageMetadata) || isJsonObject(promptFeedback)
}

/** The body states a wait; the header may come from a proxy before the service. */
function findWait(answer: UpstreamError, { retryAfterSeconds }: ErrorFields): number | undefined {
  if (retryAfterSeconds === undefined) return readRetryAfter(answer)
  return readRetryAfter({ headers: { 'retry-after': String(retryAfterSeconds) } })
}

function failureOf(code: ErrorCode, fields: ErrorFields, status: number): Failure {
  const { message, param, reason, status: type } = fields
  const isCallers = callerFaults.has(code)
  return createFailure(
    code,
    omitUndefined({
      ...(isCallers && message !== undefined ? { message } : {}),
      param: isCallers ? param : undefined,
      upstream: { status, ...omitUndefined({ type, code: reason, message, param }) },
    }),
  )
}

function parseOrNothing(body: Buffer): JsonValue | undefined {
  const value = tryParsePlainJson(body.toString('utf8'))
  return isJsonObject(value) || isJsonArray(value) ? value : undefined
}
