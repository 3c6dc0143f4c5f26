import { quoteText } from '../../../kit/json/quote-text.ts'
import { type Edit, setField, spliceBody } from '../../verbatim/splice-body.ts'
import type { RequestChange, ScannedRequest } from '../../wire-format.ts'
import { readStreamOptions } from './stream-options.ts'

const USAGE_ALONE = '{"include_usage":true}'

/** The caller's bytes with the upstream's name of the model and, in a stream, usage asked for. */
export function spliceRequest(scanned: ScannedRequest, change: RequestChange): readonly Buffer[] {
  const edits: Edit[] = []
  if (change.askForUsage && scanned.stream) {
    const options = readStreamOptions(scanned)
    if (options?.['include_usage'] !== true) {
      const asked = options === undefined ? USAGE_ALONE : JSON.stringify({ ...options, include_usage: true })
      edits.push(setField(scanned, 'stream_options', asked))
    }
  }
  if (change.model !== scanned.model) edits.push(setField(scanned, 'model', quoteText(change.model)))
  return spliceBody(scanned.body, edits)
}
