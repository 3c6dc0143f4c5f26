import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { missingField } from '../../fields/read-field.ts'
import { scanBody, scanFields } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The model that judges where the caller names none, as OpenAI's own service has it. */
const DEFAULT_MODEL = 'omni-moderation-latest'

const watched: ReadonlySet<string> = new Set(['input', 'model'])

/** Verdicts never stream, whatever else the body contains. */
export function scanRequest(body: BodyBytes): ScannedRequest {
  const fields = scanFields(body, watched)
  if (!fields.fields.has('input')) throw missingField('input')
  if (fields.fields.has('model')) return { ...scanBody(body, watched), isStream: false }
  return { ...fields, model: DEFAULT_MODEL, isStream: false }
}
