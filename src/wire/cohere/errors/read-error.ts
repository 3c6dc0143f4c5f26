import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readError as readCommonError, readErrorInAnswer, readStreamError } from '../../errors/read-error.ts'
import type { UpstreamError } from '../../wire-format.ts'

/** Cohere words errors as most servers do. */
export function readError(answer: UpstreamError): Failure {
  return readCommonError(answer)
}

/** The failure that an event states; undefined for events of an answer, which name their type. */
export function readEventFailure(event: JsonObject): Failure | undefined {
  return typeof event['type'] === 'string' ? undefined : readErrorInAnswer(event)
}

/** The failure that the end of an answer states (https://docs.cohere.com/reference/chat, seen 2026-11-20). */
export function readEndFailure({ finish_reason: reason, error }: JsonObject): Failure | undefined {
  if (reason === 'TIMEOUT') return createFailure('upstream_timeout')
  if (isStated(error)) return readStreamError(error)
  return reason === 'ERROR' ? createFailure('upstream_error') : undefined
}

function isStated(error: JsonValue | undefined): error is JsonValue {
  return error !== undefined && error !== null && error !== ''
}
