import type { z } from 'zod'

/** An issue with its full path, outside of the issue of a union. */
export interface FlatIssue {
  readonly path: readonly (string | number)[]
  readonly issue: z.core.$ZodIssue
}

/**
 * Replaces the issue of a union by the issues of one branch, if this branch accepts the value's type and refuses only
 * parts of it. These parts are what the reader has to change.
 */
export function flattenIssues(
  issues: readonly z.core.$ZodIssue[],
  above: FlatIssue['path'] = [],
): readonly FlatIssue[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path.filter((step) => typeof step !== 'symbol')]
    const branch = issue.code === 'invalid_union' ? issue.errors.find(isInside) : undefined
    return branch === undefined ? [{ path, issue }] : flattenIssues(branch, path)
  })
}

function isInside(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.some((one) => one.path.length > 0 || one.code === 'unrecognized_keys')
}
