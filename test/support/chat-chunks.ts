import type { JsonObject } from '../../src/kit/json/json.ts'

/** One frame of a chat stream, with this choice or with none. */
export function chunk(choice: JsonObject | undefined, more: JsonObject = {}): string {
  const choices = choice === undefined ? [] : [{ index: 0, ...choice }]
  return `data: ${JSON.stringify({ id: 'i', model: 'm', created: 5, choices, ...more })}\n\n`
}

export function delta(fields: JsonObject): string {
  return chunk({ delta: fields })
}

export function finish(reason: string | number): string {
  return chunk({ delta: {}, finish_reason: reason })
}

export const done = 'data: [DONE]\n\n'
