import { setField, spliceBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { modelName } from '../values/model-path.ts'

/** The caller's bytes. The path names the model; where the body names one as well, both must be the same. */
export function spliceRequest(
  scanned: ScannedRequest,
  { model }: { readonly model: string },
): readonly Buffer[] {
  if (!scanned.fields.has('model')) return scanned.body.chunks
  return spliceBody(scanned.body, [setField(scanned, 'model', JSON.stringify(modelName(model)))])
}
