import { quoteText } from '../../kit/json/json.ts'
import type { RequestChange, ScannedRequest } from '../wire-format.ts'
import { setField, spliceBody } from './scan-body.ts'

/** Returns the caller's bytes. Only the model's name and the output cap are changed. */
export function replaceModel(
  scanned: ScannedRequest,
  { model, capEdits = [] }: Pick<RequestChange, 'model' | 'capEdits'>,
): readonly Buffer[] {
  const edits =
    model === scanned.model ? capEdits : [...capEdits, setField(scanned, 'model', quoteText(model))]
  return spliceBody(scanned.body, edits)
}
