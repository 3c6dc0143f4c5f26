import { type CallerLabels, readTags } from '../../caller-labels.ts'
import { readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** `labels` are those of Google Cloud's billing; the format has no field for a user. */
export function readCallerLabels(scanned: ScannedRequest): CallerLabels {
  return { endUser: undefined, tags: readTags(readSent(scanned, 'labels')) }
}
