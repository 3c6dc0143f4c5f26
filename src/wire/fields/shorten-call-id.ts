import { createHash } from 'node:crypto'

/**
 * The id of a call, where a service takes no longer one: a digest of it, so that a call and its result, and the same
 * call in the next request, have the same. It only links the two, so that another one is no loss.
 */
export function shortenCallId(id: string, maxCharacters: number): string {
  if (id.length <= maxCharacters) return id
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}
