import type { z } from 'zod'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import { knownNamesAt } from './known-names.ts'
import { isUnavailable } from './unavailable-names.ts'

export interface DescribedIssue {
  readonly path: ConfigPath
  readonly message: string
  /** Whether the name itself is at fault, and not its value. */
  readonly isKey: boolean
}

/** Words for what the schema refused, one for each name or value. The values themselves are not repeated. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): readonly DescribedIssue[] {
  return issues.flatMap((issue) => describeIssue(issue, []))
}

function describeIssue(issue: z.core.$ZodIssue, above: ConfigPath): readonly DescribedIssue[] {
  const path = [...above, ...issue.path.filter((step) => typeof step !== 'symbol')]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((name) => ({
        path: [...path, name],
        message: describeName(path, name),
        isKey: true,
      }))
    case 'invalid_key':
      return [{ path, message: issue.issues[0]?.message ?? 'is not a valid name', isKey: true }]
    case 'invalid_union':
      return describeUnion(issue, path)
    case 'invalid_type':
      return [{ path, message: describeType(issue), isKey: false }]
    default:
      return [{ path, message: issue.message, isKey: false }]
  }
}

/**
 * Describes a union's issues. Where one branch accepted the value's kind and only its parts are wrong, those
 * parts are what the operator needs to hear of.
 */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, path: ConfigPath): readonly DescribedIssue[] {
  const isInside = (one: z.core.$ZodIssue) => one.path.length > 0 || one.code === 'unrecognized_keys'
  const branch = issue.errors.find((issues) => issues.some(isInside))
  if (branch === undefined) return [{ path, message: issue.message, isKey: false }]
  return branch.flatMap((one) => describeIssue(one, path))
}

function describeName(section: ConfigPath, name: string): string {
  if (isUnavailable(section, name)) return 'is not available in this version; leave it out'
  const known = knownNamesAt(section)
  const nearest = nearestName(name, known)
  const advice = nearest === undefined ? `known here: ${known.join(', ')}` : `did you mean "${nearest}"?`
  return `is not a known name; ${advice}`
}

function describeType(issue: z.core.$ZodIssueInvalidType): string {
  if (issue.input === undefined && /received undefined|^must/.test(issue.message)) return 'is missing'
  if (!issue.message.startsWith('Invalid input')) return issue.message
  return issue.expected === 'object'
    ? 'must be a map of names to values'
    : `must be of the kind ${issue.expected}`
}
