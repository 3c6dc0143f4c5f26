import { scanBody } from '../scan-body.ts'
import type { ScannedRequest } from '../wire-format.ts'
import { olderRequestFields, requestFields } from './fields.ts'

/** Every field of the format, since each routes, steers, prices or is the prompt itself. */
const watched: ReadonlySet<string> = new Set(Object.keys({ ...requestFields, ...olderRequestFields }))

export function scanRequest(body: Buffer): ScannedRequest {
  return scanBody(body, watched)
}
