import type { Extras } from '../../canonical/format.ts'
import type { JsonObject, JsonValue } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import type { FieldTable } from './fields.ts'

/** The names with this place or, failing that, the names that the tables know at all. */
export interface KnownFields {
  readonly handled: ReadonlySet<string>
  readonly documented: ReadonlySet<string>
}

export function knownFields(...tables: readonly FieldTable[]): KnownFields {
  const entries = tables.flatMap((table) => Object.entries(table))
  return {
    handled: new Set(entries.filter(([, place]) => place !== 'extras').map(([name]) => name)),
    documented: new Set(entries.map(([name]) => name)),
  }
}

/**
 * What an object holds beyond the fields that the canonical form names, as it came; undefined where there is nothing.
 * A documented field that is null says nothing and is left out; an unknown one is kept, null or not.
 */
export function leftoversOf(source: JsonObject, known: KnownFields): JsonObject | undefined {
  let kept: [string, JsonValue][] | undefined
  for (const name of Object.keys(source)) {
    const value = source[name]
    if (value === undefined || known.handled.has(name)) continue
    if (value === null && known.documented.has(name)) continue
    kept ??= []
    kept.push([name, value])
  }
  return kept === undefined ? undefined : Object.fromEntries(kept)
}

const none: { readonly extras?: Extras } = Object.freeze({})

/** Leftovers of an object and of the objects inside it, the latter under the names of their fields. */
export function toExtras(
  leftovers: JsonObject | undefined,
  inner: Readonly<Record<string, JsonValue | undefined>> = {},
): { readonly extras?: Extras } {
  // As it is with nearly every part of a conversation.
  if (leftovers === undefined && Object.keys(inner).every((name) => inner[name] === undefined)) return none
  const fields: JsonObject = { ...leftovers, ...omitUndefined(inner) }
  return Object.keys(fields).length === 0 ? {} : { extras: { format: 'chat', fields } }
}
