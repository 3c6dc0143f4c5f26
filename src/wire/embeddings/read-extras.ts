import type { Extras } from '../../canonical/format.ts'
import type { JsonObject } from '../../kit/json.ts'

/** What an object holds beyond the fields that the canonical form names; nothing where there is nothing. */
export function readExtras(source: JsonObject, known: ReadonlySet<string>): { readonly extras?: Extras } {
  const kept = Object.entries(source).filter(([name, value]) => value !== undefined && !known.has(name))
  return kept.length === 0 ? {} : { extras: { format: 'embeddings', fields: Object.fromEntries(kept) } }
}
