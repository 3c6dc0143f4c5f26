import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'

/** API_runtime_MessageStopEvent.html, seen 2026-11-20; the last two come from models that pass on their own reasons. */
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

/** The words of the format's own document (API_runtime_MessageStopEvent.html, seen 2026-11-25). */
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
  /** The provider's own word, carried where the canonical one says less. */
  readonly extraFields?: JsonObject
}

/** A guardrail's word is a filter's; one that is not known here is an end. Both keep the word beside it. */
export function readStopReason(word: JsonValue | undefined): StopReasonReading {
  if (typeof word !== 'string') return {}
  const stopReason = known.get(word)
  if (stopReason !== undefined) return { stopReason }
  const isGuarded = word === 'guardrail_intervened'
  return { stopReason: isGuarded ? 'content-filter' : 'end', extraFields: { stopReason: word } }
}

/** Whether the model wrote something that its own provider could not read, so that what is there is not all. */
export function isMalformed(word: JsonValue | undefined): boolean {
  return word === 'malformed_model_output' || word === 'malformed_tool_use'
}

/** The format demands a reason: where none is known, the calls in the answer decide it, declared. */
export function writeStopReason(reason: StopReason | undefined, hasCall: boolean, losses: LossList): string {
  if (reason === undefined) {
    losses.lose('stop-reason', 'defaulted')
    return hasCall ? 'tool_use' : 'end_turn'
  }
  const { word, isApproximate } = written[reason]
  if (isApproximate) losses.lose('stop-reason', 'approximated')
  return word
}
