import type { StopReason } from '../../../canonical/reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** The canonical stop reason of each finish reason (https://docs.cohere.com/reference/chat, seen 2026-11-20). */
const stopReasonOf: Readonly<Record<string, StopReason>> = {
  COMPLETE: 'end',
  STOP_SEQUENCE: 'stop-sequence',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool-calls',
  ERROR_TOXIC: 'content-filter',
  ERROR_LIMIT: 'context-window',
}

export interface StopReasonReading {
  readonly stopReason?: StopReason
  /** The provider's finish reason, if no canonical stop reason matches. */
  readonly extraFields?: JsonObject
}

/** Reads why an answer ended. Calls in the answer decide the meaning of `COMPLETE`. */
export function readStopReason({ finish_reason: word }: JsonObject, hasCalls: boolean): StopReasonReading {
  if (typeof word !== 'string') return {}
  const known = Object.hasOwn(stopReasonOf, word) ? stopReasonOf[word] : undefined
  const stopReason = known === undefined || known === 'end' ? endOf(hasCalls) : known
  return known === undefined ? { stopReason, extraFields: { finish_reason: word } } : { stopReason }
}

function endOf(hasCalls: boolean): StopReason {
  return hasCalls ? 'tool-calls' : 'end'
}
