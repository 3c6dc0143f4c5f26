import { type OperatorErrorCode, operatorErrors } from './operator-errors.ts'

export interface OperatorErrorOptions {
  /** What to do; that of the table unless given. */
  readonly advice?: string
  /** What it came from. */
  readonly cause?: unknown
}

/** Ends a start or a command: a row of the table of operators' errors, and what is known of this case. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: OperatorErrorCode
  /** What happened, and where: the message without what to do. */
  readonly happened: string
  readonly advice: string

  constructor(code: OperatorErrorCode, happened: string, options: OperatorErrorOptions = {}) {
    const { advice = operatorErrors[code].advice, cause } = options
    super(`${happened}; ${advice}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.happened = happened
    this.advice = advice
  }
}
