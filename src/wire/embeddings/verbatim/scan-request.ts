import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { MAX_BODY_VALUES } from '../../../kit/json/body-bytes.ts'
import { missingField } from '../../fields/read-field.ts'
import { scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The top-level fields that affect routing, price or the form of the answer. */
const watched: ReadonlySet<string> = new Set([
  'dimensions',
  'encoding_format',
  'input',
  'metadata',
  'model',
  'safety_identifier',
  'user',
])

/** Embeddings never stream, whatever else the body contains. */
export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched, MAX_BODY_VALUES)
  if (!scanned.fields.has('input')) throw missingField('input')
  return { ...scanned, isStream: false }
}
