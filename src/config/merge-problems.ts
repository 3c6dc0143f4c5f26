import type { ConfigProblem } from './config-error.ts'

/**
 * Sorts problems in the order of the file, after those outside it. Only the first problem of each place remains, since
 * an unset variable also has a wrong value.
 */
export function mergeProblems(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const byLocation = new Map<string, ConfigProblem>()
  for (const problem of problems) {
    // A file that is not YAML has many faults, all without a path.
    const location = problem.path === '' ? [problem.line, problem.column] : [problem.path]
    const key = JSON.stringify([problem.owner, problem.file, ...location])
    if (!byLocation.has(key)) byLocation.set(key, problem)
  }
  return [...byLocation.values()].sort(
    (left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0),
  )
}
