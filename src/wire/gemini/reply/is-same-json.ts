import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** Whether both are written as the same JSON, the order of members included. Their depth is bounded where they are parsed. */
export function isSameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true
  if (isJsonArray(left))
    return (
      isJsonArray(right) &&
      left.length === right.length &&
      left.every((inner, index) => isSameJson(inner, right[index]))
    )
  if (!isJsonObject(left) || !isJsonObject(right)) return false
  const [names, others] = [Object.keys(left), Object.keys(right)]
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && isSameJson(left[name], right[name]))
  )
}
