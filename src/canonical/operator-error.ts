import { type OperatorErrorCode, operatorErrors } from './operator-errors.ts'

export interface OperatorErrorOptions {
  /** The advice to the operator. The advice of the table by default. */
  readonly advice?: string
  /** The error that caused this one. */
  readonly cause?: unknown
}

/**
 * Thrown where a start or a command fails. Consists of a row of the table of operators' errors, and the details of
 * this case.
 */
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
