import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { rawJson } from '../../kit/json/raw-json.ts'
import type { UsagePath } from '../wire-format.ts'

/** The field of usage in which a caller that asks for it finds what an answer costs. */
export const costField = 'cost'

/** An answer, or the event that ends one, with its cost in its usage; as it is where it has no usage or no cost. */
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
