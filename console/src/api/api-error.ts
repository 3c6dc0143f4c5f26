export interface ConfigProblem {
  readonly path: string
  readonly message: string
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
  readonly problems?: readonly ConfigProblem[] | undefined
}

/** An operation of the admin API failed. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: string
  readonly status: number
  readonly param: string | undefined
  readonly problems: readonly ConfigProblem[]

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
