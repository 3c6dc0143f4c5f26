/** The Unix time in whole seconds of a time in milliseconds since 1970. */
export function unixSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}
