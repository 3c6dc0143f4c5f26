import type { z } from 'zod'
import { GatewayError } from '../canonical/failure.ts'
import { factOfIssue } from '../config/check/fact-of-issue.ts'
import { findReservedNames } from '../config/check/find-reserved-names.ts'
import { flattenIssues } from '../config/check/flatten-issues.ts'
import { writePath } from '../config/source/write-path.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { refuseField, viewFact } from './view-problem.ts'

/** The errors for invalid input. */
export const inputErrors = ['body_not_object', 'missing_field', 'invalid_field'] as const

/** The maximum number of problems in one error: an error must not be much larger than the input that it refuses. */
const MAX_PROBLEMS = 100

/** Validates the input of a client. Throws an error that names the first invalid field and lists the first problems. */
export function readInput<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  refuseReservedName(value)
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  if (!isJsonObject(value)) throw new GatewayError('body_not_object')
  const { issues } = result.error
  const [issue] = issues
  const problems = describeProblems(issues)
  if (issue?.code === 'unrecognized_keys') {
    const param = issue.keys.join(', ')
    const message = `"${param}" is not a field of this request.`
    throw new GatewayError('invalid_field', { param, message, problems })
  }
  const param = issue?.path.map(String).join('.') ?? ''
  if (issue?.path.length === 1 && issue.code !== 'custom' && value[param] === undefined) {
    throw new GatewayError('missing_field', { param, message: `The field "${param}" is required.`, problems })
  }
  const subject = param === '' ? 'The request' : `"${param}":`
  throw new GatewayError('invalid_field', { param, message: `${subject} ${issue?.message}.`, problems })
}

/** Validates the input like `readInput`, but returns it unchanged, for passing it on in the syntax of the API. */
export function checkInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.input<Schema> {
  readInput(schema, value)
  return value as z.input<Schema>
}

/** Describes the first problems, each with its path. */
function describeProblems(issues: readonly z.core.$ZodIssue[]): readonly JsonObject[] {
  const first = flattenIssues(issues.slice(0, MAX_PROBLEMS)).slice(0, MAX_PROBLEMS)
  const problems = first.flatMap(({ path, issue }) => {
    const fact = viewFact({ message: issue.message, fact: factOfIssue(issue) })
    const known = fact && { fact }
    if (issue.code === 'unrecognized_keys')
      return issue.keys.slice(0, MAX_PROBLEMS).map((name) => ({
        path: writePath([...path, name]),
        message: 'is not a field of this request',
        ...known,
      }))
    const message = fact?.code === 'required' ? 'is required' : issue.message
    return [{ path: writePath(path), message, ...known }]
  })
  return problems.slice(0, MAX_PROBLEMS)
}

/** Refuses a reserved member name, as schemas would remove such a member silently. */
function refuseReservedName(value: unknown): void {
  const [reserved] = findReservedNames(value)
  if (reserved === undefined) return
  const param = writePath(reserved.path)
  const message = `"${param}": ${reserved.message}.`
  throw refuseField('invalid_field', { param, message, fact: { code: 'reserved_name', values: {} } })
}
