import type { JsonObject } from '../json/json.ts'

/** One event of a stream that has no name. */
export function writeFrame(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
