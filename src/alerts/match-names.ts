/** Whether a name matches one of the patterns. A star matches any characters. Undefined matches every name. */
export function matchesAny(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns === undefined || patterns.some((pattern) => matches(pattern, name))
}

/** Searches for each part between stars once, so that no pattern is slow. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false
  const end = name.length - last.length
  let position = first.length
  for (const part of rest) {
    const found = name.indexOf(part, position)
    if (found === -1 || found + part.length > end) return false
    position = found + part.length
  }
  return true
}
