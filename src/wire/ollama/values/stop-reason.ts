import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'

type DoneReason = 'stop' | 'length'

interface DoneRow {
  readonly word: DoneReason
  /** Whether the word is less precise than the canonical reason. */
  readonly isApproximate?: true
}

/** The format has only the reasons `stop` and `length`. Tool calls are a `stop` (recorded traffic, 2024 to 2026). */
const doneReasonOf: Readonly<Record<StopReason, DoneRow>> = {
  end: { word: 'stop' },
  'tool-calls': { word: 'stop' },
  length: { word: 'length' },
  'context-window': { word: 'length', isApproximate: true },
  'stop-sequence': { word: 'stop', isApproximate: true },
  'content-filter': { word: 'stop', isApproximate: true },
  refusal: { word: 'stop', isApproximate: true },
  pause: { word: 'stop', isApproximate: true },
}

export function writeStopReason(reason: StopReason | undefined, losses: LossList): DoneReason {
  if (reason === undefined) {
    losses.lose('stop-reason', 'defaulted')
    return 'stop'
  }
  const { word, isApproximate } = doneReasonOf[reason]
  if (isApproximate) losses.lose('stop-reason', 'approximated')
  return word
}
