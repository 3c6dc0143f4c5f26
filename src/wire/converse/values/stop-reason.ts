import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import type { AnswerContent } from '../../answer-content.ts'

/**
 * The stop reasons of the format (API_runtime_MessageStopEvent.html, seen 2026-11-20). The last two come from models
 * that pass on their own reasons.
 */
const known: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool-calls'],
  ['content_filtered', 'content-filter'],
  ['model_context_window_exceeded', 'context-window'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
])

interface StopRow {
  readonly word: string
  /** Whether the word is less precise than the canonical reason. */
  readonly isApproximate?: true
}

/** The words for callers, from the format's documentation (API_runtime_MessageStopEvent.html, seen 2026-11-25). */
const written: Readonly<Record<StopReason, StopRow>> = {
  end: { word: 'end_turn' },
  length: { word: 'max_tokens' },
  'stop-sequence': { word: 'stop_sequence' },
  'tool-calls': { word: 'tool_use' },
  'content-filter': { word: 'content_filtered' },
  'context-window': { word: 'model_context_window_exceeded' },
  refusal: { word: 'content_filtered', isApproximate: true },
  pause: { word: 'end_turn', isApproximate: true },
}

export interface StopReasonReading {
  readonly stopReason?: StopReason
  /** The provider's own word, if the canonical stop reason is less precise. */
  readonly extraFields?: JsonObject
}

/** A guardrail's word means a content filter, and an unknown word means an end. Both keep the provider's word. */
export function readStopReason(word: JsonValue | undefined): StopReasonReading {
  if (typeof word !== 'string') return {}
  const stopReason = known.get(word)
  if (stopReason !== undefined) return { stopReason }
  const isGuarded = word === 'guardrail_intervened'
  return { stopReason: isGuarded ? 'content-filter' : 'end', extraFields: { stopReason: word } }
}

/** Whether the provider could not parse the model's output. Then the answer is incomplete. */
export function isMalformed(word: JsonValue | undefined): boolean {
  return word === 'malformed_model_output' || word === 'malformed_tool_use'
}

/**
 * Writes the stop reason, which the format requires. Callers run tools only if it is `tool_use`, and several chat
 * servers end with "stop" after a call. Therefore an answer with a call has it, unless the answer was cut off or
 * refused. The words of a refusal are ordinary text here, so that only the stop reason shows that they are one.
 */
export function writeStopReason(
  reason: StopReason | undefined,
  content: AnswerContent,
  losses: LossList,
): string {
  const shown = reason === undefined || reason === 'end' ? shownBy(content) : undefined
  const { word, isApproximate } = written[shown ?? reason ?? 'end']
  if (reason === undefined) losses.lose('stop-reason', 'defaulted')
  else if (isApproximate || shown !== undefined) losses.lose('stop-reason', 'approximated')
  return word
}

/** The reason that the content shows where the stated one does not. */
function shownBy({ hasToolCall, hasRefusal }: AnswerContent): StopReason | undefined {
  if (hasToolCall) return 'tool-calls'
  return hasRefusal ? 'refusal' : undefined
}
