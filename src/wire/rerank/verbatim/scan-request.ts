import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { missingField } from '../../fields/read-field.ts'
import { scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The top-level fields that affect routing, price or the shape of the answer. */
const watched: ReadonlySet<string> = new Set([
  'documents',
  'max_tokens_per_doc',
  'model',
  'query',
  'return_documents',
  'top_k',
  'top_n',
  'truncation',
])

/** Scans a request. Results never stream, whatever else the body contains. */
export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched)
  for (const name of ['query', 'documents']) if (!scanned.fields.has(name)) throw missingField(name)
  return { ...scanned, isStream: false }
}
