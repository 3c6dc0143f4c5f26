// The tools that checks offer, and the results that they give.
import type { ToolCallBlock } from '../../../canonical/content.ts'
import type { Tool, Turn } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'

const city = { type: 'string', description: 'The name of the city.' }
const parameters = { type: 'object', properties: { city }, required: ['city'], additionalProperties: false }

export const temperatureTool = {
  type: 'function',
  name: 'get_temperature',
  description: 'Measures the temperature in a city at this moment.',
  parameters,
} as const satisfies Tool

export const stationTool = {
  type: 'function',
  name: 'get_station',
  description: 'Gives the code of the weather station of a city.',
  parameters,
} as const satisfies Tool

/** The arguments of a call. Undefined if they are not an object with a city. */
export function readArguments({ input }: ToolCallBlock): JsonObject | undefined {
  const value = tryParseJson(input)
  return isJsonObject(value) && typeof value['city'] === 'string' && value['city'] !== '' ? value : undefined
}

/** The results of calls. Each contains a word that appears only there. */
export function giveResults(calls: readonly ToolCallBlock[], word: string): Turn {
  return {
    role: 'tool',
    results: calls.map(({ id }) => ({
      type: 'tool-result',
      callId: id,
      content: [{ type: 'text', text: `{"celsius": 21.5, "station": "${word}"}` }],
      isError: false,
    })),
  }
}
