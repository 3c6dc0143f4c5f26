import { type JsonObject, type JsonValue, quoteText } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { OwnRanking, OwnRerankForm } from '../../operations/rerank-format.ts'
import { setField, spliceBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { type RerankOptions, readOptions } from '../request/read-request.ts'

/** The required fields of a request. */
const required: readonly string[] = ['model', 'query', 'documents']

const noOptions: RerankOptions = {}

const QUOTE = 0x22

/**
 * Reuses the caller's bytes if the request already has the channel's own form, with documents that are texts and that
 * the answer does not return. Undefined if the request must be written again. The documents are not read as strings,
 * because strings that live until the answer arrives cost the garbage collector more than anything else here.
 */
export function spliceOwnForm(
  scanned: ScannedRequest,
  { form, model }: { readonly form: OwnRerankForm; readonly model: string },
): OwnRanking | undefined {
  const { body, fields } = scanned
  for (const name of fields.keys()) if (!form.fields.has(name)) return undefined
  const [query, documents] = [fields.get('query'), fields.get('documents')?.texts ?? 0]
  if (documents === 0 || query === undefined || body.at(query.valueStart) !== QUOTE) return undefined
  const options = fields.size === required.length ? noOptions : readOptions(optionsIn(scanned))
  // Each field is one option, unless it is null or a second name of the same option.
  if (Object.keys(options).length + required.length !== fields.size) return undefined
  if (options.returnDocuments === true) return undefined
  const edits = form.set.map(([name, json]) => setField(scanned, name, json))
  if (model !== scanned.model) edits.push(setField(scanned, 'model', quoteText(model)))
  return { parts: spliceBody(body, edits), documents, topN: options.topN }
}

function optionsIn({ body, fields }: ScannedRequest): JsonObject {
  const options: Record<string, JsonValue> = {}
  for (const [name, field] of fields) {
    const value = required.includes(name) ? undefined : tryParseJson(body.textOf(field))
    if (value !== undefined) options[name] = value
  }
  return options
}
