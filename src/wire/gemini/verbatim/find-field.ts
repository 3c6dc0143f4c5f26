import type { ScannedMember } from '../../verbatim/scan-member.ts'
import type { FieldSpan } from '../../wire-format.ts'
import { doubled } from '../request/read-inner.ts'
import { misspeltField, snakeCase } from './scan-terms.ts'

/**
 * A field of an object under either of its names in proto JSON. Throws where both are there, and where it is spelt as
 * neither: a laxer upstream would read it all the same.
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
