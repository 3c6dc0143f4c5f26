import type { JsonObject } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'

/** One event of a stream: its name is in the frame and in its data. */
export function writeFrame(event: JsonObject): string {
  return writeNamedFrame(scalarText(event['type']), event)
}
