import { createHash } from 'node:crypto'

/**
 * Replaces a call's ID by its digest where the ID is longer than a service accepts. A call, its result, and the same
 * call in the next request therefore have the same ID. The ID only connects call and result, so a different ID is not a
 * loss.
 */
export function shortenCallId(id: string, maxCharacters: number): string {
  if (id.length <= maxCharacters) return id
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}
