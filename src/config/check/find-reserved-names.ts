import { isReservedName, RESERVED_NAME_EXPLANATION } from '../../kit/schema/is-reserved-name.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import type { PathProblem } from '../source/substitute-variables.ts'

/** Finds members that no schema sees, at any depth. Do not use this for values that may nest without limit. */
export function findReservedNames(value: unknown, path: ConfigPath = []): readonly PathProblem[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => findReservedNames(item, [...path, index]))
  return Object.entries(value).flatMap(([name, item]) =>
    isReservedName(name)
      ? [{ path: [...path, name], message: RESERVED_NAME_EXPLANATION }]
      : findReservedNames(item, [...path, name]),
  )
}
