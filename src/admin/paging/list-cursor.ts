import { refuse } from '../../canonical/refusal.ts'
import { isJsonArray } from '../../kit/json/json.ts'
import { tryParsePlainJson } from '../../kit/json/try-parse-json.ts'

/** A cursor at the end of a page: the value that the list is sorted by, and the ID to break ties. */
export interface ListCursor {
  readonly value: string | number
  readonly id: string
}

export interface ListSort<Name extends string> {
  readonly by: Name
  readonly descending: boolean
}

/** Parses a sort order such as `-name`, which must have one of the names. The first name is the default. */
export function readSort<Name extends string>(
  text: string | undefined,
  names: readonly [Name, ...Name[]],
): ListSort<Name> {
  const wanted = text?.replace(/^-/, '')
  const by = names.find((name) => name === wanted) ?? names[0]
  return { by, descending: text?.startsWith('-') === true }
}

/** The cursor as an opaque text for clients. */
export function writeListCursor({ value, id }: ListCursor): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}

export function writeNextAfter(cursor: ListCursor | undefined): string | null {
  return cursor === undefined ? null : writeListCursor(cursor)
}

/** `type` is the type of the values that the list is sorted by. */
export function readListCursor(text: string | undefined, type: 'string' | 'number'): ListCursor | undefined {
  if (text === undefined) return undefined
  const [value, id] = parseCursor(text)
  const isValue = typeof value === 'string' || typeof value === 'number'
  if (isValue && typeof value === type && typeof id === 'string') return { value, id }
  const message = '"after": must be the next_after of a page with the same sort.'
  throw refuse('invalid_field', { param: 'after', message, fact: { code: 'wrong_cursor', values: {} } })
}

function parseCursor(text: string): readonly unknown[] {
  const parsed = tryParsePlainJson(Buffer.from(text, 'base64url').toString('utf8'))
  return isJsonArray(parsed) ? parsed : []
}
