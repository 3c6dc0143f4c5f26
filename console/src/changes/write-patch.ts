type Fields = Readonly<Record<string, unknown>>

/**
 * The changed fields as a merge patch (RFC 7396). Null removes a field. Nothing else is sent, so that two users who
 * change an object do not undo each other's changes.
 */
export function writePatch(before: Fields, after: Fields): Fields {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
}
