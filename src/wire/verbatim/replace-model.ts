import { quoteText } from '../../kit/json/json.ts'
import type { ScannedRequest } from '../wire-format.ts'
import { setField, spliceBody } from './scan-body.ts'

/** The caller's bytes with the model's name changed and nothing else. */
export function replaceModel(
  scanned: ScannedRequest,
  { model }: { readonly model: string },
): readonly Buffer[] {
  if (model === scanned.model) return scanned.body.chunks
  return spliceBody(scanned.body, [setField(scanned, 'model', quoteText(model))])
}
