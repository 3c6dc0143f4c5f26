import { isJsonArray, isJsonObject, type JsonObject, objectsIn } from '../../../kit/json/json.ts'

/** The parts of an answer's first candidate, without the drafts that the model made while thinking. */
export function answerParts({ candidates }: JsonObject): readonly JsonObject[] {
  const first = isJsonArray(candidates) ? candidates[0] : undefined
  const content = isJsonObject(first) ? first['content'] : undefined
  const parts = isJsonObject(content) ? content['parts'] : undefined
  return objectsIn(parts).filter(({ thought }) => thought !== true)
}
