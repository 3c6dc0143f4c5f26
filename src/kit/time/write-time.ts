/** ISO 8601 in UTC, as answers and documents carry it. */
export function writeTime(atMs: number): string {
  return new Date(atMs).toISOString()
}

export function writeTimeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : writeTime(atMs)
}
