import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject, quoteText } from '../../../kit/json/json.ts'
import { fieldValue, setField, spliceBody } from '../../verbatim/scan-body.ts'
import type { Edit, RequestChange, ScannedRequest } from '../../wire-format.ts'

const USAGE_ALONE = '{"include_usage":true}'

/**
 * Returns the caller's bytes with the upstream's name of the model, an output cap and, for a stream, a request for
 * usage.
 */
export function spliceRequest(scanned: ScannedRequest, change: RequestChange): readonly Buffer[] {
  const edits: Edit[] = [...(change.capEdits ?? [])]
  if (change.askForUsage && scanned.isStream) {
    const options = readStreamOptions(scanned)
    if (options?.['include_usage'] !== true) {
      const value = options === undefined ? USAGE_ALONE : JSON.stringify({ ...options, include_usage: true })
      edits.push(setField(scanned, 'stream_options', value))
    }
  }
  if (change.model !== scanned.model) edits.push(setField(scanned, 'model', quoteText(change.model)))
  return spliceBody(scanned.body, edits)
}

/** Reads the stream options; undefined where there are none. Throws where they are not an object. */
export function readStreamOptions({ body, fields }: ScannedRequest): JsonObject | undefined {
  const field = fields.get('stream_options')
  if (field === undefined || body.textOf(field) === 'null') return undefined
  const options = fieldValue(body, field)
  if (isJsonObject(options)) return options
  throw new GatewayError('invalid_field', {
    param: 'stream_options',
    message: 'The field "stream_options" must be an object.',
  })
}

/** Whether the caller wants usage at the end of the stream. */
export function asksForUsage(scanned: ScannedRequest): boolean {
  return scanned.isStream && readStreamOptions(scanned)?.['include_usage'] === true
}
