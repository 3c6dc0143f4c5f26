import { InvariantError } from './invariant-error.ts'

/** Ends an exhaustive switch: the compiler refuses the call while a case is missing. */
export function unreachable(value: never): never {
  throw new InvariantError(`a case is missing: ${nameOf(value)}`)
}

/** Names only the tag of a value, since its other fields may contain a request's content. */
function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value
  for (const tag of ['type', 'kind'] as const) {
    if (tag in value) return `${tag} ${String(Reflect.get(value, tag))}`
  }
  return 'an object without a tag'
}
