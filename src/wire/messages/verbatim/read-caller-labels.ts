import { type CallerLabels, readEndUser } from '../../caller-labels.ts'
import { readInnerField, readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** `metadata` of this format has no other member than the user's id. */
export function readCallerLabels(scanned: ScannedRequest): CallerLabels {
  return { endUser: readEndUser(readInnerField(readSent(scanned, 'metadata'), 'user_id')), tags: {} }
}
