/**
 * Adds members to an object that is being built; a later value replaces an earlier one. A literal with a spread behind
 * its first member takes several times as long (decision 0046).
 */
export function addMembers<Value>(
  target: Record<string, Value>,
  more: Readonly<Record<string, Value | undefined>> | undefined,
): void {
  for (const name in more) {
    const value = more[name]
    if (value !== undefined) target[name] = value
  }
}

/** The members of both objects. A member of the second replaces one of the first. */
export function joinMembers<Value>(
  first: Readonly<Record<string, Value>>,
  second: Readonly<Record<string, Value>> | undefined,
): Record<string, Value> {
  const joined = { ...first }
  addMembers(joined, second)
  return joined
}
