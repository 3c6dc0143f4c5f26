/** The message of an error, and its name where it has no message, as one that stands for several may. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
