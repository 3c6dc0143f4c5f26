/** Writes a time as ISO 8601 in UTC, the form of answers and documents. */
export function writeTime(atMs: number): string {
  return new Date(atMs).toISOString()
}

export function writeTimeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : writeTime(atMs)
}
