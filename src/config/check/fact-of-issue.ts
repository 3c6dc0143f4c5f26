import type { z } from 'zod'
import { factOf, type InputFact } from '../../kit/schema/input-fact.ts'

/** The fact of what a schema refused; undefined where the sentence alone says it. Needs `reportInput`. */
export function factOfIssue(issue: z.core.$ZodIssue): InputFact | undefined {
  if (issue.input === undefined && issue.code !== 'custom' && issue.code !== 'unrecognized_keys')
    return { code: 'required', values: {} }
  switch (issue.code) {
    case 'invalid_type':
      return { code: 'wrong_type', values: { expected: typeNames[issue.expected] ?? issue.expected } }
    case 'invalid_value':
      return { code: 'unknown_value', values: { values: issue.values.map(String) } }
    case 'too_small':
      return factOfMinimum(issue)
    case 'too_big':
      return factOfMaximum(issue)
    case 'invalid_format':
      return factOf(issue) ?? factOfFormat(issue.format)
    case 'invalid_key': {
      const [inner] = issue.issues
      return inner === undefined ? undefined : factOfIssue(inner)
    }
    case 'unrecognized_keys':
      return { code: 'unknown_field', values: {} }
    default:
      return factOf(issue)
  }
}

/** The types as JSON names them. */
const typeNames: Readonly<Record<string, string>> = { record: 'object', int: 'integer' }

function factOfMinimum({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): InputFact {
  const values = { minimum: Number(minimum) }
  if (origin === 'string')
    return minimum === 1 ? { code: 'empty', values: {} } : { code: 'too_short', values }
  if (isCounted(origin)) return { code: 'too_few', values }
  return { code: inclusive === false ? 'not_above' : 'too_small', values }
}

function factOfMaximum({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): InputFact {
  const values = { maximum: Number(maximum) }
  if (origin === 'string') return { code: 'too_long', values }
  if (isCounted(origin)) return { code: 'too_many', values }
  return { code: inclusive === false ? 'not_below' : 'too_large', values }
}

function isCounted(origin: string): boolean {
  return origin === 'array' || origin === 'set' || origin === 'map'
}

function factOfFormat(format: string): InputFact | undefined {
  if (format === 'date' || format === 'datetime') return { code: 'wrong_format', values: { format: 'time' } }
  return format === 'url' ? { code: 'wrong_format', values: { format: 'web_address' } } : undefined
}
