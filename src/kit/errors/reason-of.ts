/** The message of an error. An error without a message, such as an `AggregateError`, gives its name. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
