import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { chatFields, generateFields } from '../request/request-fields.ts'

/** Every field of the format. Callers get a stream by default. */
const watched: ReadonlySet<string> = new Set([...Object.keys(chatFields), ...Object.keys(generateFields)])

export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched)
  const stream = scanned.fields.get('stream')
  const isStream = stream === undefined || body.textOf(stream) === 'null' || scanned.isStream
  return { ...scanned, isStream }
}
