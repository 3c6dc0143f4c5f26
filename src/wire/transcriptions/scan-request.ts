import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { missingField } from '../fields/read-field.ts'
import { scanBody } from '../verbatim/scan-body.ts'
import type { ScannedRequest } from '../wire-format.ts'

const watched: ReadonlySet<string> = new Set(['model', 'file', 'response_format', 'stream', 'language'])

export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched)
  if (!scanned.fields.has('file')) throw missingField('file')
  return scanned
}

/** Translations never stream. */
export function scanTranslation(body: BodyBytes): ScannedRequest {
  return { ...scanRequest(body), isStream: false }
}
