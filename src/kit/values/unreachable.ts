/** Ends an exhaustive switch: the compiler refuses the call while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
