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

/** Classifies an error answer. An answer without the shape of Google's errors is read like any other. */
export function readError(answer: UpstreamError): Failure {
  const { status, body, namesStoredObjects } = answer
  const parsed = parseOrNothing(body)
  const fields = readErrorFields(parsed)
  if (fields === undefined) return withoutBody(readOtherError(answer))
  const code = classifyError(status, fields, namesStoredObjects)
  const retryAfterSeconds = passingFaults.has(code) ? findWait(answer, fields) : undefined
  const failure = omitUndefined({ ...failureOf(code, fields, status), retryAfterSeconds })
  if (!callerFaults.has(code) || failure.upstream === undefined) return failure
  // The gateway passes an error on unchanged only if clients of the format can read it.
  if (fields.code === undefined || fields.message === undefined) return failure
  // Callers get the object itself if the service sent a list of one.
  const whole = isJsonArray(parsed) ? Buffer.from(JSON.stringify(parsed[0])) : body
  return { ...failure, upstream: { ...failure.upstream, body: whole } }
}

/** Removes the body of another format's error, so that the error is written again for callers of this format. */
function withoutBody(failure: Failure): Failure {
  if (failure.upstream === undefined) return failure
  const { body: _body, ...upstream } = failure.upstream
  return { ...failure, upstream }
}

/** The failure inside a chunk of a stream or inside a body with a success status. Undefined if there is no failure. */
export function readErrorInAnswer(body: JsonObject): Failure | undefined {
  const fields = readErrorFields(body)
  if (fields !== undefined) return failureOf(classifyError(undefined, fields), fields, fields.code ?? 200)
  return isAnswer(body) ? undefined : readOtherInside(body)
}

function isAnswer({ candidates, usageMetadata, promptFeedback }: JsonObject): boolean {
  return isJsonArray(candidates) || isJsonObject(usageMetadata) || isJsonObject(promptFeedback)
}

/** The wait that the body states goes before the header, which may come from a proxy in front of the service. */
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
