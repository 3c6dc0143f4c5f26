import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { findAbnormalEnd, finishWordOf, isUndisclosedEnd, readStopReason } from './stop-reason.ts'

export interface Medium {
  /** The caller's field that the model worked on. */
  readonly param: string
  /** The name of the answer in a message, such as `transcript`. */
  readonly name: string
}

/**
 * The failure of a whole answer that the model did not finish. Formats of sound have no field for a finish reason, so
 * a caller would take an incomplete answer for a complete one. Undefined for a complete answer.
 */
export function findIncomplete(body: JsonObject, { param, name }: Medium): Failure | undefined {
  const { candidates, promptFeedback } = body
  const first = isJsonArray(candidates) ? candidates[0] : undefined
  if (!isJsonObject(first)) return findBlocked(promptFeedback, param)
  const abnormal = findAbnormalEnd(first)
  if (abnormal !== undefined) return abnormal
  const word = finishWordOf(first['finishReason'])
  if (word === undefined) return undefined
  const { stopReason } = readStopReason(word, false)
  // The service often completes the same request when it is repeated after an undisclosed reason.
  if (isUndisclosedEnd(word) || stopReason === 'length' || stopReason === 'pause') {
    const message = `The model ended before the ${name} was complete (${word.slice(0, 64)}).`
    return createFailure('upstream_error', { message, upstream: { status: 200, code: word, message } })
  }
  return stopReason === 'content-filter' ? refusedFor(word, param) : undefined
}

function findBlocked(feedback: JsonValue | undefined, param: string): Failure | undefined {
  const reason = isJsonObject(feedback) ? feedback['blockReason'] : undefined
  return typeof reason === 'string' ? refusedFor(reason, param) : undefined
}

function refusedFor(reason: string, param: string): Failure {
  const message = `The model provider refused the request under its content policy (${reason.slice(0, 64)}).`
  return createFailure('content_policy_violation', { param, message })
}
