import { quoteText } from '../../../kit/json/json.ts'
import { setField, spliceBody } from '../../verbatim/scan-body.ts'
import type { RequestChange, ScannedRequest } from '../../wire-format.ts'

/**
 * Returns the caller's bytes. Only the model's name, the output cap and the ID of the previous response are changed.
 */
export function spliceRequest(
  scanned: ScannedRequest,
  { model, previousResponseId, capEdits = [] }: RequestChange,
): readonly Buffer[] {
  const edits = [...capEdits]
  if (model !== scanned.model) edits.push(setField(scanned, 'model', quoteText(model)))
  if (previousResponseId !== undefined) {
    edits.push(setField(scanned, 'previous_response_id', quoteText(previousResponseId)))
  }
  return spliceBody(scanned.body, edits)
}
