import type { LossList } from '../../../canonical/loss.ts'
import type { Choice, StopReason } from '../../../canonical/reply.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import type { AnswerContent } from '../../answer-content.ts'

export interface StopReasonReading {
  readonly stopReason: StopReason
  /** The provider's finish reason, where the canonical one is less precise. */
  readonly extraFields?: JsonObject
}

/** Reads why an answer ended, from its status and its content, since a completed response does not state a reason. */
export function readStopReason(response: JsonObject, inspection: AnswerContent): StopReasonReading {
  if (response['status'] === 'incomplete') return readCut(response)
  if (inspection.hasToolCall) return { stopReason: 'tool-calls' }
  return { stopReason: inspection.hasRefusal ? 'refusal' : 'end' }
}

/**
 * An unknown reason, and none, mean that a limit ended the answer. Callers of other formats would take a pause for the
 * end of a whole answer.
 */
function readCut(response: JsonObject): StopReasonReading {
  const details = response['incomplete_details']
  const reason = isJsonObject(details) ? details['reason'] : undefined
  if (reason === 'max_output_tokens' || reason === 'max_tokens') return { stopReason: 'length' }
  if (reason === 'content_filter') return { stopReason: 'content-filter' }
  return {
    stopReason: reason === 'steered' ? 'pause' : 'length',
    ...(typeof reason === 'string' ? { extraFields: { incomplete_details: { reason } } } : {}),
  }
}

/** Returns the fields that state why an answer ended. */
export function writeStopReason(
  choice: Pick<Choice, 'stopReason' | 'stopSequence' | 'extras'>,
  inspection: AnswerContent,
  losses: LossList,
): JsonObject {
  const { stopReason, stopSequence, extras } = choice
  const own = extras?.format === 'responses' ? extras.fields : {}
  for (const name of Object.keys(extras?.fields ?? {})) {
    if (own[name] === undefined || name !== 'incomplete_details') {
      losses.lose('foreign-field', 'dropped', name)
    }
  }
  const cut = findCut(choice, inspection)
  const written: JsonObject =
    cut === undefined
      ? { status: 'completed', incomplete_details: null }
      : { status: 'incomplete', incomplete_details: { reason: cut } }
  const isSame = readStopReason(written, inspection).stopReason === stopReason
  if (stopReason === undefined) losses.lose('stop-reason', 'defaulted')
  else if (!isSame || stopSequence !== undefined) {
    losses.lose('stop-reason', 'approximated')
  }
  return written
}

/** The reason of an answer that is not whole, in the provider's own word where there is one. */
export function findCut(
  { stopReason, extras }: Pick<Choice, 'stopReason' | 'extras'>,
  inspection: AnswerContent,
): string | undefined {
  const details = extras?.format === 'responses' ? extras.fields['incomplete_details'] : undefined
  const reason = isJsonObject(details) ? details['reason'] : undefined
  return typeof reason === 'string' ? reason : wordOfCut(stopReason, inspection)
}

/**
 * A refusal without words of a refusal is the work of the provider's classifier, which stops the model in the middle of
 * its answer.
 */
function wordOfCut(reason: StopReason | undefined, { hasRefusal }: AnswerContent): string | undefined {
  if (reason === 'length' || reason === 'context-window') return 'max_output_tokens'
  if (reason === 'refusal' && !hasRefusal) return 'content_filter'
  return reason === 'content-filter' ? 'content_filter' : undefined
}
