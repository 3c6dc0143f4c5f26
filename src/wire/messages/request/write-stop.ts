import type { LossList } from '../../../canonical/loss.ts'
import type { Choice } from '../../../canonical/reply.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { AnswerContent } from '../../answer-content.ts'
import { writeStopReason } from '../values/stop-reason.ts'

/** Writes how the answer ended. The fields are the same in a whole message and in the last delta of a stream. */
export function writeStop(
  choice: Pick<Choice, 'stopReason' | 'stopSequence' | 'extras'>,
  inspection: AnswerContent,
  losses: LossList,
): JsonObject {
  const { word, loss } = writeStopReason(choice.stopReason, inspection)
  if (loss !== undefined) losses.lose('stop-reason', loss)
  const own = choice.extras?.format === 'messages' ? choice.extras.fields : {}
  for (const name of Object.keys(choice.extras?.fields ?? {})) {
    const isKnown =
      choice.extras?.format === 'messages' && (name === 'stop_details' || name === 'stop_reason')
    if (!isKnown) losses.lose('foreign-field', 'dropped', name)
  }
  return {
    stop_reason: own['stop_reason'] ?? word,
    stop_sequence: choice.stopSequence ?? null,
    stop_details: own['stop_details'] ?? null,
  }
}
