import type { Extras } from '../../canonical/format.ts'
import type { JsonObject, JsonValue } from '../../kit/json.ts'
import type { FieldTable } from './fields.ts'

const none: { readonly extras?: Extras } = Object.freeze({})

/**
 * The fields that the canonical form has no name for, as they came; those of the format that are null say nothing.
 * `leftovers` are what named fields hold beyond their canonical meaning, by field: writing merges them back.
 */
export function readExtras(
  source: JsonObject,
  fields: FieldTable,
  leftovers: Readonly<Record<string, JsonObject | undefined>> = {},
): { readonly extras?: Extras } {
  let kept: [string, JsonValue][] | undefined
  for (const name of Object.keys(source)) {
    const value = source[name]
    if (value === undefined || !isExtra(fields, name, value)) continue
    kept ??= []
    kept.push([name, value])
  }
  for (const name of Object.keys(leftovers)) {
    const value = leftovers[name]
    if (value === undefined) continue
    kept ??= []
    kept.push([name, value])
  }
  return kept === undefined ? none : { extras: { format: 'messages', fields: Object.fromEntries(kept) } }
}

/** What an object holds beyond the fields that have canonical names; undefined where there is nothing. */
export function readLeftovers(source: JsonObject, fields: FieldTable): JsonObject | undefined {
  return readExtras(source, fields).extras?.fields
}

function isExtra(fields: FieldTable, name: string, value: JsonValue): boolean {
  if (!Object.hasOwn(fields, name)) return true
  return fields[name] === 'extras' && value !== null
}
