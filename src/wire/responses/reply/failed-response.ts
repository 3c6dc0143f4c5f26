import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { readErrorInAnswer, readStreamError } from '../../errors/read-error.ts'

/**
 * Returns the failure that a response states: its `error`, or the status failed or cancelled. Undefined for a response
 * that is complete, incomplete or in progress.
 */
export function readFailedResponse(response: JsonObject): Failure | undefined {
  const { status, error } = response
  if (isJsonObject(error)) return readStreamError({ error })
  if (status === 'failed') return createFailure('upstream_error')
  return status === 'cancelled' ? createFailure('upstream_disconnected') : undefined
}

/** Returns the failure of a whole answer; undefined where there is none. */
export function findResponseFailure(body: JsonObject): Failure | undefined {
  const failed =
    readFailedResponse(body) ?? (body['object'] === 'response' ? undefined : readErrorInAnswer(body))
  if (failed !== undefined) return failed
  if (!isJsonArray(body['output'])) return createFailure('upstream_bad_response')
  return body['output'].length > 0 || statesEnd(body) || isUnfinished(body)
    ? undefined
    : createFailure('upstream_empty')
}

/** Whether a response states that it ended. Without any content, it is then an empty answer and not a failure. */
export function statesEnd({ status }: JsonObject): boolean {
  return status === 'completed' || status === 'incomplete'
}

/**
 * Returns the failure of an answer that its provider still writes. Another format has no word for such an answer, so
 * its caller would take the first part for all of it. An answer without any part is an empty one.
 */
export function findUnfinished(response: JsonObject): Failure | undefined {
  const { status, output } = response
  if (!isUnfinished(response)) return undefined
  if (!isJsonArray(output) || output.length === 0) return undefined
  return createFailure('upstream_bad_response', {
    message: `The model provider sent an answer that is not finished: its status is "${scalarText(status)}".`,
  })
}

function isUnfinished({ status }: JsonObject): boolean {
  return status === 'queued' || status === 'in_progress'
}
