import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { readError as readCommonError, readErrorInAnswer, readStreamError } from '../../errors/read-error.ts'
import type { UpstreamError } from '../../wire-format.ts'
import { readFailedResponse } from '../reply/failed-response.ts'

/** Servers of this format word errors as most others do. */
export function readError(answer: UpstreamError): Failure {
  return readCommonError(answer)
}

/** The failure in an event of a stream; undefined where the event is not a failure. */
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
      // A server's error in another format.
      return typeof type === 'string' ? undefined : readErrorInAnswer(event)
  }
}
