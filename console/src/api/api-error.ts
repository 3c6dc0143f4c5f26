import type { ProblemFact } from '../../../src/admin/problem-contract.ts'

export interface ApiProblem {
  readonly path: string
  readonly message: string
  /** Undefined if the message alone describes the problem. */
  readonly fact?: ProblemFact | undefined
}

interface ApiErrorDetails {
  /**
   * An error code of the gateway, or one of the console's own. `unreachable`: no response arrived. `unanswered`: none
   * arrived to a change, which may have been made. `unreadable`: the response is not the gateway's. `unconfirmed`: the
   * password was not entered again.
   */
  readonly code: string
  readonly status: number
  readonly message: string
  /** The name of the invalid field, if there is one. */
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

const proxyStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** Whether a proxy shows this status for a gateway that it cannot reach. To load the page again helps nobody. */
export function isProxyStatus(status: number): boolean {
  return proxyStatuses.has(status)
}

/** Whether the gateway did not answer. It may have done what was asked for. */
export function isUnanswered(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return error.code === 'unreachable' || (error.code === 'unreadable' && isProxyStatus(error.status))
}

/** Whether one of the problems that the gateway found has the code. */
export function hasProblem({ problems }: ApiError, code: string): boolean {
  return problems.some(({ fact }) => fact?.code === code)
}
