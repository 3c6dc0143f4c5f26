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
