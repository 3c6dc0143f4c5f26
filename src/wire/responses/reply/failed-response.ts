import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
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
  const { status } = body
  const isWaited = status === 'queued' || status === 'in_progress' || status === 'incomplete'
  return body['output'].length === 0 && !isWaited ? createFailure('upstream_empty') : undefined
}

/**
 * Returns the failure of an answer that its provider still writes. Another format has no word for such an answer, so
 * its caller would take the first part for all of it. An answer without any part is an empty one.
 */
export function findUnfinished({ status, output }: JsonObject): Failure | undefined {
  if (status !== 'queued' && status !== 'in_progress') return undefined
  if (!isJsonArray(output) || output.length === 0) return undefined
  return createFailure('upstream_bad_response', {
    message: `The model provider sent an answer that is not finished: its status is "${status}".`,
  })
}
