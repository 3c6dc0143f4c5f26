import type { ErrorCode } from '../../../canonical/error-table.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'

/** Client libraries for protocol buffers record the reasons as numbers. Beyond these five the services differ. */
const wordOfNumber: readonly string[] = [
  'FINISH_REASON_UNSPECIFIED',
  'STOP',
  'MAX_TOKENS',
  'SAFETY',
  'RECITATION',
]

/**
 * The reasons why a candidate ended (https://ai.google.dev/api/generate-content#FinishReason and the types of
 * @google/genai 3.1.0, seen 2026-11-20; MODEL_ARMOR is recorded, 2026). A stop without a disclosed reason (`OTHER`) is
 * a content filter, not a normal end.
 */
const stopReasonOf: ReadonlyMap<string, StopReason> = new Map([
  ['STOP', 'end'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['RECITATION', 'content-filter'],
  ['LANGUAGE', 'content-filter'],
  ['BLOCKLIST', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
  ['SPII', 'content-filter'],
  ['MODEL_ARMOR', 'content-filter'],
  ['OTHER', 'content-filter'],
  ['IMAGE_SAFETY', 'content-filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content-filter'],
  ['IMAGE_RECITATION', 'content-filter'],
  ['IMAGE_OTHER', 'content-filter'],
  ['NO_IMAGE', 'content-filter'],
  ['CONTINUATION', 'pause'],
])

/** Finish reasons of an incomplete answer: the model wrote something that the service could not parse. */
const abnormalEnd: ReadonlyMap<string, ErrorCode> = new Map([
  ['MALFORMED_FUNCTION_CALL', 'upstream_error'],
  ['MALFORMED_RESPONSE', 'upstream_error'],
  ['UNEXPECTED_TOOL_CALL', 'upstream_error'],
  ['TOO_MANY_TOOL_CALLS', 'upstream_error'],
  ['MISSING_THOUGHT_SIGNATURE', 'upstream_error'],
])

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED'

export interface StopReasonReading {
  readonly stopReason: StopReason
  /** The provider's finish reason, if the canonical stop reason is less precise. */
  readonly extraFields?: JsonObject
}

/** The finish reason of a candidate in the provider's words. Undefined if the provider named none. */
export function finishWordOf(value: JsonValue | undefined): string | undefined {
  const word = typeof value === 'number' ? (wordOfNumber[value] ?? `FINISH_REASON_${value}`) : value
  return typeof word === 'string' && word !== '' && word !== UNSPECIFIED ? word : undefined
}

/** The failure that a finish reason stands for. Undefined for a normal finish reason. */
export function findAbnormalEnd({ finishReason, finishMessage }: JsonObject): Failure | undefined {
  const word = finishWordOf(finishReason)
  const code = word === undefined ? undefined : abnormalEnd.get(word)
  if (word === undefined || code === undefined) return undefined
  const message = typeof finishMessage === 'string' ? { message: finishMessage } : {}
  return createFailure(code, { upstream: { status: 200, code: word, ...message } })
}

/** Whether the service does not say why it ended the answer, or says it in a word that is not known. */
export function isUndisclosedEnd(word: string): boolean {
  return word === 'OTHER' || !stopReasonOf.has(word.toUpperCase())
}

/**
 * An answer that ends with tool calls has the reason STOP, too. An unknown reason is read like `OTHER`: all reasons but
 * STOP mean that the answer is not whole, and the service adds new ones. Some other servers write small letters.
 */
export function readStopReason(stated: string, hasCall: boolean): StopReasonReading {
  const word = stated.toUpperCase()
  if (word === 'STOP' || word === '') return { stopReason: hasCall ? 'tool-calls' : 'end' }
  const stopReason = stopReasonOf.get(word) ?? 'content-filter'
  return wordOfStopReason[stopReason] === word
    ? { stopReason }
    : { stopReason, extraFields: { finishReason: stated } }
}

const wordOfStopReason = {
  end: 'STOP',
  length: 'MAX_TOKENS',
  'stop-sequence': 'STOP',
  'tool-calls': 'STOP',
  'content-filter': 'SAFETY',
  refusal: 'SAFETY',
  pause: 'STOP',
  'context-window': 'MAX_TOKENS',
} as const satisfies Record<StopReason, string>

export interface WrittenEnd {
  readonly stopReason: StopReason | undefined
  readonly hasCall: boolean
  /** Whether the answer is a refusal. Refusals are ordinary text here, so the finish reason must show them. */
  readonly hasRefusal: boolean
  /** The provider's own finish reason, if it is more precise than the canonical stop reason. */
  readonly own: JsonValue | undefined
}

/** Clients treat an answer without a finish reason as cut off. If none is known, it is STOP, with a declared loss. */
export function writeStopReason(end: WrittenEnd, losses: LossList): string {
  const { stopReason, hasCall, hasRefusal, own } = end
  if (typeof own === 'string') return own
  if (hasRefusal && (stopReason === undefined || stopReason === 'end')) {
    losses.lose('stop-reason', 'approximated')
    return wordOfStopReason.refusal
  }
  if (stopReason === undefined) {
    losses.lose('stop-reason', 'defaulted')
    return 'STOP'
  }
  const word = wordOfStopReason[stopReason]
  if (readStopReason(word, hasCall).stopReason !== stopReason) {
    losses.lose('stop-reason', 'approximated')
  }
  return word
}
