import type { JsonObject } from '../json/json.ts'

/** Writes one event of a stream with its event name. Anthropic's SDK drops frames without a name. */
export function writeNamedFrame(event: string, data: JsonObject): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
