import type { JsonObject } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'

/** Writes one event of a stream. The event's name is in the frame and in its data. */
export function writeFrame(event: JsonObject): string {
  return writeNamedFrame(scalarText(event['type']), event)
}
