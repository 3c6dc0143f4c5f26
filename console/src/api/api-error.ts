import type { ProblemFact } from '../../../src/admin/problem-contract.ts'

export interface ApiProblem {
  readonly path: string
  readonly message: string
  /** Undefined where the message alone says it. */
  readonly fact?: ProblemFact | undefined
}

interface ApiErrorDetails {
  /**
   * A code of the gateway's error table; `unreachable` where no answer came, `unreadable` where it was not ours,
   * `unconfirmed` where the password was not given again.
   */
  readonly code: string
  readonly status: number
  readonly message: string
  /** The field that is wrong, where it is one. */
  readonly param?: string | undefined
  readonly problems?: readonly ApiProblem[] | undefined
}

/** An operation of the admin API failed. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  readonly param: string | undefined
  readonly problems: readonly ApiProblem[]

  constructor({ code, status, message, param, problems = [] }: ApiErrorDetails, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = status
    this.param = param
    this.problems = problems
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code
}

/** Whether something that the gateway found wrong has the code. */
export function hasProblem({ problems }: ApiError, code: string): boolean {
  return problems.some(({ fact }) => fact?.code === code)
}
