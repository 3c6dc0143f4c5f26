import type { JsonObject } from '../json/json.ts'

/** One event of a stream, with its name. Anthropic's SDK drops frames without one. */
export function writeNamedFrame(event: string, data: JsonObject): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
