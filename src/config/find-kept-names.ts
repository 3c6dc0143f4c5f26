import { isKeptName, KEPT_NAME_EXPLANATION } from '../kit/is-kept-name.ts'
import type { ConfigPath } from './read-yaml.ts'
import type { PathProblem } from './substitute-variables.ts'

/** Members that no schema sees, at any depth. Not for what may nest without end. */
export function findKeptNames(value: unknown, path: ConfigPath = []): readonly PathProblem[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => findKeptNames(item, [...path, index]))
  return Object.entries(value).flatMap(([name, item]) =>
    isKeptName(name)
      ? [{ path: [...path, name], message: KEPT_NAME_EXPLANATION }]
      : findKeptNames(item, [...path, name]),
  )
}
