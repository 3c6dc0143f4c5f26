import type { Extras } from '../../../canonical/format.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { extrasOf } from '../../fields/extras.ts'
import { type FieldTable, leftoversOf } from '../../fields/field-table.ts'

export const { toExtras, withExtras } = extrasOf('messages')

/**
 * Reads the fields that have no name in the canonical form. `inner` holds the parts of named fields that the canonical
 * form does not cover.
 */
export function readExtras(
  source: JsonObject,
  fields: FieldTable,
  inner?: Readonly<Record<string, JsonObject | undefined>>,
): { readonly extras?: Extras } {
  return toExtras(leftoversOf(source, fields), inner)
}
