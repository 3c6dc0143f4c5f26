import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { fieldText, fieldValue } from '../../verbatim/scan-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** The options of the stream; undefined where there are none. Throws where they are no object. */
export function readStreamOptions({ body, fields }: ScannedRequest): JsonObject | undefined {
  const field = fields.get('stream_options')
  if (field === undefined || fieldText(body, field) === 'null') return undefined
  const options = fieldValue(body, field)
  if (isJsonObject(options)) return options
  throw new GatewayError('invalid_field', {
    param: 'stream_options',
    message: 'The field "stream_options" must be an object.',
  })
}

/** Whether the caller wants usage at the end of the stream. */
export function asksForUsage(scanned: ScannedRequest): boolean {
  return scanned.stream && readStreamOptions(scanned)?.['include_usage'] === true
}
