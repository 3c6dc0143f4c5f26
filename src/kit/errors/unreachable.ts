import { InvariantError } from './invariant-error.ts'

/** Ends an exhaustive switch: the compiler refuses the call while a case is missing. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable: ${JSON.stringify(value)}`)
}
