import { type OperatorErrorCode, operatorErrors } from './operator-errors.ts'

export interface OperatorErrorOptions {
  /** The advice; that of the table by default. */
  readonly advice?: string
  /** The error that it came from. */
  readonly cause?: unknown
}

/** Ends a start or a command: a row of the table of operators' errors, and what is known of this case. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly code: OperatorErrorCode
  /** The event and its place: the message without the advice. */
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
