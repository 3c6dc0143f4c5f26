import { quoteText } from '../../kit/json/json.ts'
import type { RequestChange, ScannedRequest } from '../wire-format.ts'
import { setField, spliceBody } from './scan-body.ts'

/** The caller's bytes with the model's name and the output cap changed, and nothing else. */
export function replaceModel(
  scanned: ScannedRequest,
  { model, capEdits = [] }: Pick<RequestChange, 'model' | 'capEdits'>,
): readonly Buffer[] {
  const edits =
    model === scanned.model ? capEdits : [...capEdits, setField(scanned, 'model', quoteText(model))]
  return spliceBody(scanned.body, edits)
}
