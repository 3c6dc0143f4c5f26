import type { FieldTable } from '../../fields/field-table.ts'

/** The fields of an answer that the canonical form names or that are made anew. */
export const replyFields = {
  data: 'named',
  model: 'named',
  object: 'derived',
  usage: 'named',
} as const satisfies FieldTable
