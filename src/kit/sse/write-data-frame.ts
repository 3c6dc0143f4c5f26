import type { JsonObject } from '../json/json.ts'

/** Writes one event of a stream without an event name. */
export function writeDataFrame(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
