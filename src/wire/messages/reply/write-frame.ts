import type { JsonObject } from '../../../kit/json/json.ts'

/** One whole frame. The official SDK drops frames without an event name. */
export function writeFrame(event: string, data: JsonObject): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
