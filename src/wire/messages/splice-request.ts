import { setField, spliceBody } from '../splice-body.ts'
import type { RequestChange, ScannedRequest } from '../wire-format.ts'

/** The caller's bytes with the model's name changed. Usage comes with every stream of the format, asked for or not. */
export function spliceRequest(scanned: ScannedRequest, change: RequestChange): readonly Buffer[] {
  if (change.model === scanned.model) return scanned.body.chunks
  return spliceBody(scanned.body, [setField(scanned, 'model', JSON.stringify(change.model))])
}
