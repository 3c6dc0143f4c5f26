import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { rawJson } from '../../kit/json/raw-json.ts'
import type { UsagePath } from '../wire-format.ts'

/** The usage field that holds the cost of an answer, for callers that ask for the cost. */
export const costField = 'cost'

/**
 * Adds the cost to the usage of an answer, or of the event that ends one. Without usage or without a cost, the object
 * does not change.
 */
export function addCost(
  value: JsonObject,
  [name, ...inner]: UsagePath,
  cost: string | undefined,
): JsonObject {
  const holder = value[name]
  if (cost === undefined || !isJsonObject(holder)) return value
  const [next, ...rest] = inner
  if (next !== undefined) return { ...value, [name]: addCost(holder, [next, ...rest], cost) }
  return { ...value, [name]: { ...holder, [costField]: rawJson(cost) } }
}
