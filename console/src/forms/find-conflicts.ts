type Members = Readonly<Record<string, unknown>>

interface Edited {
  /** The values that the user saw before typing. */
  readonly initial: Members
  readonly typed: Members
  /** The values that the object has now. */
  readonly now: Members
}

/**
 * The fields that the user changed and that another user changed to another value in the meantime, such as
 * `rate.rpm`. Lists are compared as a whole, since a change replaces all of a list.
 */
export function findConflicts({ initial, typed, now }: Edited): readonly string[] {
  return Object.keys(typed).flatMap((name) => {
    const [before, after, other] = [initial[name], typed[name], now[name]]
    if (isMembers(before) && isMembers(after) && isMembers(other))
      return findConflicts({ initial: before, typed: after, now: other }).map((path) => `${name}.${path}`)
    return isSame(before, after) || isSame(before, other) || isSame(after, other) ? [] : [name]
  })
}

/** The values with those of other values at the given paths. */
export function copyFields<Values extends Members>(
  values: Values,
  paths: readonly string[],
  from: Members,
): Values {
  const copied = Object.entries(values).map(([name, value]) => {
    const inner = paths
      .filter((path) => path.startsWith(`${name}.`))
      .map((path) => path.slice(name.length + 1))
    const other = from[name]
    if (paths.includes(name)) return [name, other]
    return [name, isMembers(value) && isMembers(other) ? copyFields(value, inner, other) : value]
  })
  return { ...values, ...Object.fromEntries(copied) }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
