import type { Extras } from '../../canonical/format.ts'
import type { LossList } from '../../canonical/loss.ts'
import { isJsonObject, type JsonObject } from '../../kit/json.ts'
import { fieldPaths } from '../field-paths.ts'

export interface ExtrasPlace {
  readonly losses: LossList
  /** Where the fields stand, such as `messages.content`; empty for the body itself. */
  readonly place: string
}

/** Puts the format's own fields back beside the written ones. Fields of another format are lost, each by its name. */
export function withExtras(
  written: JsonObject,
  extras: Extras | undefined,
  { losses, place }: ExtrasPlace,
): JsonObject {
  if (extras === undefined) return written
  if (extras.format === 'chat') return joinFields(written, extras.fields)
  loseExtras(extras, { losses, place })
  return written
}

/** Declares every field lost, whatever its format: there is no place for them here. */
export function loseExtras(extras: Extras | undefined, { losses, place }: ExtrasPlace): void {
  for (const name of extras === undefined ? [] : fieldPaths(extras)) {
    losses.add({ feature: 'foreign-field', kind: 'dropped', field: place === '' ? name : `${place}.${name}` })
  }
}

/** Written fields stand; where both hold an object under a name, the two are joined the same way. */
export function joinFields(written: JsonObject, more: JsonObject): JsonObject {
  const joined = new Map(Object.entries(written))
  for (const [name, value] of Object.entries(more)) {
    const before = joined.get(name)
    if (before === undefined) joined.set(name, value)
    else if (isJsonObject(before) && isJsonObject(value)) joined.set(name, joinFields(before, value))
  }
  return Object.fromEntries(joined)
}
