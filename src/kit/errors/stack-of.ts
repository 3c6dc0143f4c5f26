/** The stack of what was thrown, which says where it came from; its message where there is none. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
