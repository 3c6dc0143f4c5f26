import { InvariantError } from '../kit/errors/invariant-error.ts'

/** Whether a text is a single path segment without a special meaning. */
export function isPathSegment(text: string): boolean {
  return /^[A-Za-z0-9_.:@-]{1,128}$/.test(text) && text !== '.' && text !== '..'
}

/**
 * Returns the text as a part of a path. The configuration refuses unfit texts, so an unfit text here is a fault of the
 * gateway.
 */
export function pathSegment(text: string): string {
  if (isPathSegment(text)) return encodeURIComponent(text).replaceAll('%40', '@')
  throw new InvariantError(`a name cannot be part of a path: ${JSON.stringify(text)}`)
}
