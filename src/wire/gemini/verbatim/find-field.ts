import type { ScannedMember } from '../../verbatim/scan-member.ts'
import type { FieldSpan } from '../../wire-format.ts'
import { doubled } from '../request/read-inner.ts'
import { misspeltField, snakeCase } from './scan-terms.ts'

/**
 * Finds a field of an object under either of its names in proto JSON. Throws if both names are present, and if the name
 * is spelled in a third way, because a lenient upstream would still read the field.
 */
export function findField({ fields }: Pick<ScannedMember, 'fields'>, name: string): FieldSpan | undefined {
  const snake = snakeCase(name)
  const camelField = fields.get(name.toLowerCase())
  const snakeField = snake === name ? undefined : fields.get(snake)
  if (camelField !== undefined && snakeField !== undefined) throw doubled(name)
  const field = camelField ?? snakeField
  if (field !== undefined && field.name !== name && field.name !== snake)
    throw misspeltField(field.name, name)
  return field
}
