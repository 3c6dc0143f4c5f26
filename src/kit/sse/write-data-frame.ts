import type { JsonObject } from '../json/json.ts'

/** One event of a stream that has no name. */
export function writeDataFrame(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
