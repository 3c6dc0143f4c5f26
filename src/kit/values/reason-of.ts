/** What an error says, and its name where it says nothing, as one that stands for several may. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
