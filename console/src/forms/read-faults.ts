import { ApiError } from '../api/api-error.ts'
import { explainError, findErrorText } from '../api/describe-error.ts'
import { writeProblem, writeProblemAt } from '../api/write-problem.ts'

export interface FaultOptions {
  readonly initial: Readonly<Record<string, unknown>>
  readonly fieldOf?: (param: string) => string
  readonly explain?: (error: ApiError) => string | undefined
}

/** The errors of single fields, and the error of the whole form. */
interface Faults {
  readonly errors: Readonly<Record<string, string>>
  readonly problem?: string
}

/** The errors that the gateway found, in the language of the page. */
export function readFaults(error: unknown, options: FaultOptions): Faults {
  if (!(error instanceof ApiError)) return { errors: {}, problem: explainError(error) }
  const explained = options.explain?.(error)
  if (explained === undefined && error.problems.length > 0) return spreadProblems(error, options)
  const text = explained ?? explainError(error)
  const field = error.param === undefined ? undefined : findField(error.param, options)
  return field === undefined ? { errors: {}, problem: text } : { errors: { [field]: text } }
}

/** Shows each problem at its field. A problem without a field is shown above the form. */
function spreadProblems({ code, problems }: ApiError, options: FaultOptions): Faults {
  const errors: Record<string, string> = {}
  const others: string[] = []
  for (const problem of problems) {
    const field = findField(problem.path, options)
    if (field === undefined) others.push(writeProblemAt(problem))
    else errors[field] ??= writeProblem(problem)
  }
  if (others.length === 0) return { errors }
  const general = findErrorText(code)
  return { errors, problem: [...(general === undefined ? [] : [general]), ...others].join(' ') }
}

/** The field of a parameter. Undefined if the form does not show it. */
function findField(param: string, { initial, fieldOf = (name) => name }: FaultOptions): string | undefined {
  const field = fieldOf(param.replaceAll(/\[(\d+)\]/g, '.$1'))
  return Object.hasOwn(initial, field.split('.')[0] ?? '') ? field : undefined
}
