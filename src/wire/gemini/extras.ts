import type { Extras } from '../../canonical/format.ts'
import type { LossList } from '../../canonical/loss.ts'
import type { JsonObject, JsonValue } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import { joinFields, loseExtras } from '../chat/write-extras.ts'

/** Leftovers of an object and of the objects inside it, the latter under the names of their fields. */
export function toExtras(
  leftovers: JsonObject | undefined,
  inner: Readonly<Record<string, JsonValue | undefined>> = {},
): { readonly extras?: Extras } {
  const fields: JsonObject = { ...leftovers, ...omitUndefined(inner) }
  return Object.keys(fields).length === 0 ? {} : { extras: { format: 'gemini', fields } }
}

/** Puts the format's own fields back beside the written ones. Fields of another format are lost, each by its name. */
export function withExtras(
  written: JsonObject,
  extras: Extras | undefined,
  place: { readonly losses: LossList; readonly place: string },
): JsonObject {
  if (extras === undefined) return written
  if (extras.format === 'gemini') return joinFields(written, extras.fields)
  loseExtras(extras, place)
  return written
}
