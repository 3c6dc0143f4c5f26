import type { JsonObject } from '../../../kit/json/json.ts'
import { readBoolean } from '../../fields/read-field.ts'

/**
 * Checks the field that asks for usage in a stream. Its value decides only how the answer is written, and is read from
 * the scanned body (`asksForUsage`).
 */
export function checkStreamOptions(options: JsonObject | undefined): void {
  if (options !== undefined) readBoolean(options, 'include_usage', 'stream_options')
}
