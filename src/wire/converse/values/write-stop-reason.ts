import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'

interface StopRow {
  readonly word: string
  /** Whether the word is less precise than the canonical reason. */
  readonly isApproximate?: true
}

/** API_runtime_MessageStopEvent.html, seen 2026-11-25. */
const words: Readonly<Record<StopReason, StopRow>> = {
  end: { word: 'end_turn' },
  length: { word: 'max_tokens' },
  'stop-sequence': { word: 'stop_sequence' },
  'tool-calls': { word: 'tool_use' },
  'content-filter': { word: 'content_filtered' },
  'context-window': { word: 'model_context_window_exceeded' },
  refusal: { word: 'content_filtered', isApproximate: true },
  pause: { word: 'end_turn', isApproximate: true },
}

/** The format demands a reason: where none is known, the calls in the answer decide it, declared. */
export function writeStopReason(reason: StopReason | undefined, hasCall: boolean, losses: LossList): string {
  if (reason === undefined) {
    losses.lose('stop-reason', 'defaulted')
    return hasCall ? 'tool_use' : 'end_turn'
  }
  const { word, isApproximate } = words[reason]
  if (isApproximate) losses.lose('stop-reason', 'approximated')
  return word
}
