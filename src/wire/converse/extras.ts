import type { Extras } from '../../canonical/format.ts'
import type { JsonObject } from '../../kit/json.ts'
import { type ExtrasPlace, joinFields, loseExtras } from '../chat/write-extras.ts'

/** Puts the format's own fields back beside the written ones. Fields of another format are lost, each by its name. */
export function withExtras(written: JsonObject, extras: Extras | undefined, place: ExtrasPlace): JsonObject {
  if (extras === undefined) return written
  if (extras.format === 'converse') return joinFields(written, extras.fields)
  loseExtras(extras, place)
  return written
}
