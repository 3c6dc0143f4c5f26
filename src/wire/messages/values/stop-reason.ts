import type { LossKind } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import type { AnswerContent } from '../../answer-content.ts'

const stopReasonOfWord: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'end'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
  ['model_context_window_exceeded', 'context-window'],
])

const wordOfStopReason = {
  end: 'end_turn',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'context-window': 'model_context_window_exceeded',
} as const satisfies Record<StopReason, string>

export interface StopReasonReading {
  readonly stopReason?: StopReason
  /** The provider's own word, if the canonical stop reason is less precise. */
  readonly extraFields?: JsonObject
}

/** A pause after compaction is read as a pause, and an unknown word as an end. Both keep the provider's word. */
export function readStopReason(word: JsonValue | undefined): StopReasonReading {
  if (typeof word !== 'string') return {}
  const stopReason = stopReasonOfWord.get(word)
  if (stopReason !== undefined) return { stopReason }
  return { stopReason: word === 'compaction' ? 'pause' : 'end', extraFields: { stop_reason: word } }
}

export interface WrittenStopReason {
  readonly word: string
  /** Set if reading the word back gives another reason, or if there was no reason. */
  readonly loss?: LossKind
}

/**
 * Callers run tools only if the reason is `tool_use`, and several chat servers send "stop" along with calls. Therefore
 * an answer with calls ends with `tool_use`, unless it was cut off or refused. A finished message requires a reason:
 * the default is `end_turn`.
 */
export function writeStopReason(
  reason: StopReason | undefined,
  inspection: AnswerContent,
): WrittenStopReason {
  if (reason === undefined || reason === 'end') {
    if (inspection.hasToolCall) return { word: wordOfStopReason['tool-calls'], loss: 'approximated' }
    if (inspection.hasRefusal) return { word: wordOfStopReason.refusal, loss: 'approximated' }
  }
  if (reason === undefined) return { word: wordOfStopReason.end, loss: 'defaulted' }
  return { word: wordOfStopReason[reason], ...(reason === 'content-filter' && { loss: 'approximated' }) }
}
