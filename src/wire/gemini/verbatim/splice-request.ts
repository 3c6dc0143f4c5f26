import { setField, spliceBody } from '../../verbatim/scan-body.ts'
import type { RequestChange, ScannedRequest } from '../../wire-format.ts'
import { modelName } from '../values/model-path.ts'

/**
 * The caller's bytes with the output cap changed. The path names the model. If the body names a model too, that name is
 * replaced, since both must be the same.
 */
export function spliceRequest(
  scanned: ScannedRequest,
  { model, capEdits = [] }: Pick<RequestChange, 'model' | 'capEdits'>,
): readonly Buffer[] {
  if (!scanned.fields.has('model')) return spliceBody(scanned.body, capEdits)
  const named = setField(scanned, 'model', JSON.stringify(modelName(model)))
  return spliceBody(scanned.body, [...capEdits, named])
}
