import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readStreamError } from '../../errors/read-error.ts'

/** Words for the end of an answer (https://docs.cohere.com/reference/chat, seen 2026-11-20). */
const stopReasonOf: Readonly<Record<string, StopReason>> = {
  COMPLETE: 'end',
  STOP_SEQUENCE: 'stop-sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
  ERROR_TOXIC: 'content-filter',
  ERROR_LIMIT: 'context-window',
}

export interface ReadFinish {
  readonly stopReason?: StopReason
  /** The provider's word where none of ours says it. */
  readonly more?: JsonObject
}

/** Why an answer ended, or the failure that ended it. Calls in it say what an end without further words means. */
export function readFinish(end: JsonObject, hasCalls: boolean): ReadFinish | Failure {
  const { finish_reason: word, error } = end
  if (word === 'TIMEOUT') return createFailure('upstream_timeout')
  if (word === 'ERROR' || isStated(error)) {
    return isStated(error) ? readStreamError(error) : createFailure('upstream_error')
  }
  if (typeof word !== 'string') return {}
  const known = Object.hasOwn(stopReasonOf, word) ? stopReasonOf[word] : undefined
  const stopReason = known === undefined || known === 'end' ? endOf(hasCalls) : known
  return known === undefined ? { stopReason, more: { finish_reason: word } } : { stopReason }
}

function endOf(hasCalls: boolean): StopReason {
  return hasCalls ? 'tool-calls' : 'end'
}

function isStated(error: JsonValue | undefined): error is JsonValue {
  return error !== undefined && error !== null && error !== ''
}
