import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readError as readCommonError, readErrorInAnswer, readStreamError } from '../../errors/read-error.ts'
import type { UpstreamError } from '../../wire-format.ts'

/** Classifies an error answer. Cohere's errors have the same shape as those of most servers. */
export function readError(answer: UpstreamError): Failure {
  return readCommonError(answer)
}

/** The failure in an event of a stream. Undefined for the events of an answer, which have a `type`. */
export function readEventFailure(event: JsonObject): Failure | undefined {
  return typeof event['type'] === 'string' ? undefined : readErrorInAnswer(event)
}

/** The failure in the last event of an answer (https://docs.cohere.com/reference/chat, seen 2026-11-20), if any. */
export function readEndFailure({ finish_reason: reason, error }: JsonObject): Failure | undefined {
  if (reason === 'TIMEOUT') return createFailure('upstream_timeout')
  if (isStated(error)) return readStreamError(error)
  return reason === 'ERROR' ? createFailure('upstream_error') : undefined
}

function isStated(error: JsonValue | undefined): error is JsonValue {
  return error !== undefined && error !== null && error !== ''
}
