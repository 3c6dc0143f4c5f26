// Fields of every list that is read by pages. Imports no code but schemas, so that a browser can import it.
import { z } from 'zod'
import { wholeNumberField } from '../query-fields.ts'

/** The most rows of a page. */
const MAX_PAGE_ROWS = 1_000
export const DEFAULT_PAGE_ROWS = 50

const MAX_CURSOR_CHARACTERS = 2_048
const MAX_SEARCH_CHARACTERS = 64

/** The page that a query asks for. */
export const pageFields = {
  limit: wholeNumberField(1, MAX_PAGE_ROWS)
    .meta({ description: `Default ${DEFAULT_PAGE_ROWS}, at most ${MAX_PAGE_ROWS}.` })
    .optional(),
  after: z
    .string()
    .max(MAX_CURSOR_CHARACTERS, { error: 'must be the next_after of a page' })
    .meta({ description: 'The next_after of the page before, with the same sort.' })
    .optional(),
}

export const searchField = z
  .string()
  .max(MAX_SEARCH_CHARACTERS, { error: `must be ${MAX_SEARCH_CHARACTERS} characters at most` })
  .meta({ description: 'A part of the name, in whichever case.' })
  .optional()

/** The field that a list is sorted by, with "-" in front descending. */
export function sortField<Name extends string>(names: readonly [Name, ...Name[]]) {
  const words = names.flatMap((name) => [name, `-${name}`] as const)
  return z
    .enum(words, { error: `must be one of ${words.join(', ')}` })
    .meta({ description: `With "-" descending; by ${names[0]} unless given.` })
    .optional()
}

export const nextAfterSchema = z
  .string()
  .nullable()
  .meta({ description: 'The after of the next page; null on the last page.' })
