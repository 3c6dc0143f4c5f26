import { createHash } from 'node:crypto'

/** The IDs of calls and names of tools that the provider takes. */
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_CHARACTERS = 64
const MARK_CHARACTERS = 8

/**
 * An id or a name in the provider's letters: itself where it is, else always the same, and another for each other one.
 */
export function fitCallId(id: string): string {
  if (ACCEPTED.test(id)) return id
  const mark = createHash('sha256').update(id).digest('hex').slice(0, MARK_CHARACTERS)
  const letters = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_CHARACTERS - MARK_CHARACTERS - 1)
  return `${letters}_${mark}`
}
