import type { RerankRequest } from '../../../canonical/operations/rerank.ts'
import { quoteText } from '../../../kit/json/json.ts'
import type { OwnRerankForm } from '../../rerank-format.ts'
import { setField, spliceBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The bytes of a request that is in the channel's own form already; undefined where it must be written anew. */
export function spliceOwnForm(
  scanned: ScannedRequest,
  request: RerankRequest,
  { form, model }: { readonly form: OwnRerankForm; readonly model: string },
): readonly Buffer[] | undefined {
  const { body, fields } = scanned
  // What was read has one member for each field, unless one is null, unknown, or another name of the same.
  if (Object.keys(request).length !== fields.size) return undefined
  for (const name of fields.keys()) if (!form.fields.has(name)) return undefined
  if (!form.acceptsObjects && request.documents.some(({ type }) => type === 'object')) return undefined
  const edits = form.set.map(([name, json]) => setField(scanned, name, json))
  if (model !== request.model) edits.push(setField(scanned, 'model', quoteText(model)))
  return spliceBody(body, edits)
}
