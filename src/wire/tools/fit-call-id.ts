import { createHash } from 'node:crypto'

/** The call IDs and tool names that the provider accepts. */
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_CHARACTERS = 64
const MARK_CHARACTERS = 8

/**
 * Returns an ID or a name in the characters that the provider accepts. An accepted ID stays unchanged. Any other ID
 * always gets the same replacement, and different IDs get different replacements.
 */
export function fitCallId(id: string): string {
  if (ACCEPTED.test(id)) return id
  const mark = createHash('sha256').update(id).digest('hex').slice(0, MARK_CHARACTERS)
  const letters = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_CHARACTERS - MARK_CHARACTERS - 1)
  return `${letters}_${mark}`
}
