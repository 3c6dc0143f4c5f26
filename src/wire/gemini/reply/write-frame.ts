import type { JsonObject } from '../../../kit/json/json.ts'

/** One chunk of a stream of events. */
export function writeFrame(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}
