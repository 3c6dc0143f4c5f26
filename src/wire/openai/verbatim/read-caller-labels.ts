import { type CallerLabels, readEndUser, readTags } from '../../caller-labels.ts'
import { readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** `safety_identifier` is the newer name of `user` (openai 7.55.0, seen 2026-11-23). */
export function readCallerLabels(scanned: ScannedRequest): CallerLabels {
  return {
    endUser: readEndUser(readSent(scanned, 'safety_identifier')) ?? readEndUser(readSent(scanned, 'user')),
    tags: readTags(readSent(scanned, 'metadata')),
  }
}
