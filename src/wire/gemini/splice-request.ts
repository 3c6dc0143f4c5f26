import { setField, spliceBody } from '../splice-body.ts'
import type { ScannedRequest } from '../wire-format.ts'
import { bareModel } from './model-path.ts'

/** The caller's bytes. The path says the model; where the body says it as well, both must be the same. */
export function spliceRequest(
  scanned: ScannedRequest,
  { model }: { readonly model: string },
): readonly Buffer[] {
  if (!scanned.fields.has('model')) return scanned.body.chunks
  const name = JSON.stringify(`models/${bareModel(model)}`)
  return spliceBody(scanned.body, [setField(scanned, 'model', name)])
}
