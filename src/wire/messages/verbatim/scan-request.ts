import type { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { requireMessages, scanBody } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'
import { olderRequestFields, requestFields } from '../request/request-fields.ts'

/** Every field of the format, since each affects routing, behavior or price, or is the prompt itself. */
const watched: ReadonlySet<string> = new Set(Object.keys({ ...requestFields, ...olderRequestFields }))

export function scanRequest(body: BodyBytes): ScannedRequest {
  const scanned = scanBody(body, watched)
  // A conversation that the provider stores may continue without new messages.
  if (!scanned.fields.has('thread')) requireMessages(scanned)
  return scanned
}
