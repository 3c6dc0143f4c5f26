import { isJsonArray, isJsonObject, type JsonObject } from '../../../kit/json/json.ts'

/** The usage of a chunk or an answer: in its own place, in Groq's `x_groq`, or, as Moonshot has it, in a choice. */
export function findUsage({ usage, x_groq: groq, choices }: JsonObject): JsonObject | undefined {
  if (isJsonObject(usage)) return usage
  if (isJsonObject(groq) && isJsonObject(groq['usage'])) return groq['usage']
  const first = isJsonArray(choices) ? choices[0] : undefined
  return isJsonObject(first) && isJsonObject(first['usage']) ? first['usage'] : undefined
}
