import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { rawJson } from '../../kit/json/raw-json.ts'
import type { UsagePath } from '../wire-format.ts'

/** The usage field that holds the cost of an answer, for callers that ask for the cost. */
export const costField = 'cost'

/**
 * Adds the cost to the usage of an answer, or of the event that ends one. Without usage or without a cost, the object
 * does not change.
 */
export function addCost(value: JsonObject, path: UsagePath, cost: string | undefined): JsonObject {
  if (cost === undefined) return value
  const [name, ...inner] = path
  if (name === undefined) return { ...value, [costField]: rawJson(cost) }
  const holder = value[name]
  return isJsonObject(holder) ? { ...value, [name]: addCost(holder, inner, cost) } : value
}
