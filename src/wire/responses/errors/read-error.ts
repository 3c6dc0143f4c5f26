import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { readError as readCommonError, readErrorInAnswer, readStreamError } from '../../errors/read-error.ts'
import type { UpstreamError } from '../../wire-format.ts'
import { readFailedResponse } from '../reply/failed-response.ts'

/** Servers of this format write errors as most other servers do. */
export function readError(answer: UpstreamError): Failure {
  return readCommonError(answer)
}

/** Returns the failure in an event of a stream; undefined where the event is not a failure. */
export function readEventFailure(event: JsonObject): Failure | undefined {
  const { type, response } = event
  switch (type) {
    case 'error':
      return readStreamError(event)
    case 'response.failed':
    case 'response.cancelled':
      return (
        (isJsonObject(response) ? readFailedResponse(response) : undefined) ?? createFailure('upstream_error')
      )
    default:
      // The error may be in another format's shape.
      return typeof type === 'string' ? undefined : readErrorInAnswer(event)
  }
}
