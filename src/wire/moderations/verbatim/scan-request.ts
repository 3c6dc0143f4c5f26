import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { missingField } from '../../fields/read-field.ts'
import { scanBody, scanFields } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The model that is used where the caller names none. It is the default of OpenAI's own service. */
const DEFAULT_MODEL = 'omni-moderation-latest'

const watched: ReadonlySet<string> = new Set(['input', 'model'])

/** Moderations never stream, whatever else the body contains. */
export function scanRequest(body: BodyBytes): ScannedRequest {
  const fields = scanFields(body, watched)
  if (!fields.fields.has('input')) throw missingField('input')
  if (fields.fields.has('model')) return { ...scanBody(body, watched), isStream: false }
  return { ...fields, model: DEFAULT_MODEL, isStream: false }
}
