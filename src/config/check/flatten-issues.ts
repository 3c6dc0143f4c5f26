import type { z } from 'zod'

/** An issue at its whole path, which does not stand within that of a union. */
export interface FlatIssue {
  readonly path: readonly (string | number)[]
  readonly issue: z.core.$ZodIssue
}

/**
 * Unfolds the issues of unions. Where one branch accepted the value's kind and only its parts are wrong, those parts
 * are what a reader needs to hear of.
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
