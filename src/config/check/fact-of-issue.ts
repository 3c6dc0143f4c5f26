import type { z } from 'zod'
import { type Alternatives, factOf, type InputFact, isPlainFact } from '../../kit/schema/input-fact.ts'

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
    case 'invalid_union':
      return factOf(issue) ?? factOfBranches(issue.errors)
    case 'custom': {
      const named: unknown = issue.params?.['fact']
      return isPlainFact(named) ? { code: named, values: {} } : factOf(issue)
    }
    default:
      return factOf(issue)
  }
}

/**
 * The fact of a value that no branch of a union accepts. A branch that accepts its type and refuses something else of
 * it says most; otherwise the branches together say what is allowed.
 */
function factOfBranches(branches: readonly (readonly z.core.$ZodIssue[])[]): InputFact | undefined {
  const values = new Set<string>()
  const types = new Set<string>()
  for (const [issue] of branches) {
    const fact = issue === undefined ? undefined : factOfIssue(issue)
    switch (fact?.code) {
      case 'unknown_value':
        addAll(values, fact.values.values)
        break
      case 'wrong_type':
        types.add(fact.values.expected)
        break
      case 'no_alternative':
        addAll(values, fact.values.values)
        addAll(types, fact.values.types)
        break
      default:
        return fact
    }
  }
  const allowed: Alternatives = {
    ...(values.size > 0 && { values: [...values] }),
    ...(types.size > 0 && { types: [...types] }),
  }
  return { code: 'no_alternative', values: allowed }
}

function addAll(names: Set<string>, more: readonly string[] = []): void {
  for (const name of more) names.add(name)
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
