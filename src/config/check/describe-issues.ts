import type { z } from 'zod'
import type { InputFact } from '../../kit/schema/input-fact.ts'
import { nearestName } from '../../kit/schema/nearest-name.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import { factOfIssue } from './fact-of-issue.ts'
import { flattenIssues } from './flatten-issues.ts'
import { knownNamesAt } from './known-names.ts'
import { isUnavailable } from './unavailable-names.ts'

export interface DescribedIssue {
  readonly path: ConfigPath
  readonly message: string
  /** Undefined where the message alone says it. */
  readonly fact: InputFact | undefined
  /** Whether the name itself is at fault, and not its value. */
  readonly isKey: boolean
}

/** Describes what the schema refused, once for each name or value. The values themselves are not repeated. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): readonly DescribedIssue[] {
  return flattenIssues(issues).flatMap(({ path, issue }) => describeIssue(issue, path))
}

function describeIssue(issue: z.core.$ZodIssue, path: ConfigPath): readonly DescribedIssue[] {
  const fact = factOfIssue(issue)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((name) => describeName(path, name))
    case 'invalid_key':
      return [{ path, message: issue.issues[0]?.message ?? 'is not a valid name', fact, isKey: true }]
    case 'invalid_type':
      return [{ path, message: describeType(issue, path), fact, isKey: false }]
    default:
      return [{ path, message: issue.message, fact, isKey: false }]
  }
}

function describeName(section: ConfigPath, name: string): DescribedIssue {
  const path = [...section, name]
  if (isUnavailable(section, name)) {
    const message = 'is not available in this version; leave it out'
    return { path, message, fact: undefined, isKey: true }
  }
  const known = knownNamesAt(section)
  const nearest = nearestName(name, known)
  const advice = nearest === undefined ? `known here: ${known.join(', ')}` : `did you mean "${nearest}"?`
  const fact = { code: 'unknown_field', values: nearest === undefined ? {} : { nearest } } as const
  return { path, message: `is not a known name; ${advice}`, fact, isKey: true }
}

function describeType(issue: z.core.$ZodIssueInvalidType, path: ConfigPath): string {
  if (issue.input === undefined && /received undefined|^must/.test(issue.message)) return 'is missing'
  if (!issue.message.startsWith('Invalid input')) return issue.message
  if (issue.expected !== 'object') return `must be of the kind ${issue.expected}`
  const known = knownNamesAt(path)
  const names = known.length === 0 ? '' : `; known here: ${known.join(', ')}`
  return `must be a map of names to values${names}`
}
