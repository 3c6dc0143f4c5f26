import type { JsonObject, JsonValue } from '../../kit/json/json.ts'

/**
 * The treatment of a documented field's value. `named`: the canonical form has a name for it. `extras`: it travels
 * unchanged, for the same format alone. `derived`: it follows from the other fields and is computed anew. `constant`:
 * it has one value and carries no information. `refused`: the translated lane cannot serve it.
 */
export type FieldRole = 'named' | 'extras' | 'derived' | 'constant' | 'refused'
/** Every field of one object of a format. */
export type FieldTable = Readonly<Record<string, FieldRole>>

/** One table of several; a field that any of them reads is read. */
export function knownFields(...tables: readonly FieldTable[]): FieldTable {
  const entries = tables.flatMap((table) => Object.entries(table))
  const documented = entries.filter(([, to]) => to === 'extras')
  const read = entries.filter(([, to]) => to !== 'extras')
  return Object.fromEntries([...documented, ...read])
}

/**
 * The fields of an object beyond those that the canonical form names, unchanged; undefined where there are none. A
 * documented field that is null has no effect and is left out; an unknown one stays, null or not.
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
