/** Writes a time of the admin API for a table, to the second. The head of the column says that it is in UTC. */
export function writeUtcTime(at: string): string {
  return at.slice(0, 19).replace('T', ' ')
}
