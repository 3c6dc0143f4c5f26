import type { ConfigProblem } from './config-error.ts'

/**
 * Sorts problems in the order of the file, behind those outside it, and keeps the first of each place, since an unset
 * variable also has a wrong value.
 */
export function mergeProblems(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const byLocation = new Map<string, ConfigProblem>()
  for (const problem of problems) {
    // A file that is no YAML has many faults, and none of them a path.
    const location = problem.path === '' ? [problem.line, problem.column] : [problem.path]
    const key = JSON.stringify([problem.owner, problem.file, ...location])
    if (!byLocation.has(key)) byLocation.set(key, problem)
  }
  return [...byLocation.values()].sort(
    (left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0),
  )
}
