/** Writes the query after a path. Empty where no value is given. */
export function writeQuery(query: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, value)
  }
  return given.size === 0 ? '' : `?${given}`
}
