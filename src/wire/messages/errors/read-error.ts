import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import { readRetryAfter } from '../../errors/read-retry-after.ts'
import type { UpstreamError } from '../../wire-format.ts'
import { createUpstreamFailure } from './create-upstream-failure.ts'
import { readAnyErrorFields } from './read-error-fields.ts'

/** Classifies an error answer by status, type and text. A body that is not JSON (such as a web page) is not quoted. */
export function readError(answer: UpstreamError): Failure {
  const { status, body, namesStoredObjects } = answer
  const parsed = tryParseJson(body.toString('utf8'))
  // A web page comes from a proxy in front of the API, so the API never saw the credential.
  if (status === 403 && parsed === undefined && body.toString('latin1').trimStart().startsWith('<'))
    return createFailure('upstream_error', { upstream: { status } })
  return createUpstreamFailure({
    fields: readAnyErrorFields(parsed),
    status,
    retryAfterSeconds: readRetryAfter(answer),
    namesStoredObjects,
    ...(hasOwnForm(parsed) ? { body } : {}),
  })
}

/** Whether an error has the format's own shape: only such an error is passed on verbatim. */
function hasOwnForm(body: JsonValue | undefined): boolean {
  const error = isJsonObject(body) ? body['error'] : undefined
  return isJsonObject(error) && typeof error['type'] === 'string' && typeof error['message'] === 'string'
}
