import type { JsonObject, JsonValue } from '../../kit/json/json.ts'

/**
 * The treatment of a documented field's value. `named`: the canonical form has a name for it. `extras`: it is passed on
 * unchanged, but only to the same format. `derived`: it follows from the other fields and is computed again.
 * `constant`: it has one value and carries no information. `refused`: the translated lane cannot serve it.
 */
export type FieldRole = 'named' | 'extras' | 'derived' | 'constant' | 'refused'
/** Every field of one object of a format. */
export type FieldTable = Readonly<Record<string, FieldRole>>

/** Joins several tables into one. A field that any of them reads is read. */
export function knownFields(...tables: readonly FieldTable[]): FieldTable {
  const entries = tables.flatMap((table) => Object.entries(table))
  const documented = entries.filter(([, to]) => to === 'extras')
  const read = entries.filter(([, to]) => to !== 'extras')
  return Object.fromEntries([...documented, ...read])
}

/**
 * Returns the fields of an object that the canonical form has no name for, unchanged; undefined where there are none. A
 * documented field that is null has no effect and is left out. An unknown field is included even if it is null.
 */
export function leftoversOf(source: JsonObject, known: FieldTable): JsonObject | undefined {
  let left: [string, JsonValue][] | undefined
  for (const name of Object.keys(source)) {
    const value = source[name]
    if (value === undefined) continue
    if (Object.hasOwn(known, name) && (known[name] !== 'extras' || value === null)) continue
    left ??= []
    left.push([name, value])
  }
  return left === undefined ? undefined : Object.fromEntries(left)
}
