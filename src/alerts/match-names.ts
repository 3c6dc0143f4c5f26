/** Whether a name is one of these, in which a star stands for any characters. Undefined matches every name. */
export function matchesAny(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns === undefined || patterns.some((pattern) => matches(pattern, name))
}

/** Each part between stars is searched once, so that no pattern takes long. */
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
