import { reasonOf } from '../kit/errors/reason-of.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { type ErrorCode, errorRow } from './error-table.ts'

/** One failure: a row of the error table, and the details of this case. */
export interface Failure {
  readonly type: 'failure'
  readonly code: ErrorCode
  /** The message: what happened, where, and what to do. It is safe to show to the caller. */
  readonly message: string
  /** The caller's field at fault, under the caller's name for it. */
  readonly param?: string
  /** The wait that the provider asks for. Callers get one minute at most. */
  readonly retryAfterSeconds?: number
  /** The status of the upstream's answer, and the upstream's error message where it is readable. */
  readonly upstream?: UpstreamWords
  /** Fields that a client's own error recovery reads, such as `error_code` of the messages format. */
  readonly details?: JsonObject
  /** All problems of a document that the admin API refuses, each with its path. */
  readonly problems?: readonly JsonObject[]
  /** The text for the log instead of the message, where the log can be more precise. */
  readonly logCause?: string
  /** Headers that belong to the error, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface UpstreamWords {
  readonly status: number
  readonly type?: string
  readonly code?: string
  readonly message?: string
  readonly param?: string
  /** The unchanged body, stored only where a caller of the same format may get it unchanged. */
  readonly body?: Uint8Array
}

/** The fields of a failure beyond its row of the error table. */
export type FailureDetails = Partial<Omit<Failure, 'type' | 'code'>>

export function createFailure(code: ErrorCode, more: FailureDetails = {}): Failure {
  return { type: 'failure', code, message: errorRow(code).message, ...more }
}

/** Distinguishes a failure from any other result of a function. */
export function isFailure(value: object): value is Failure {
  return 'type' in value && value.type === 'failure'
}

/** Thrown where a request ends. Carries the failure to the one function that renders it. */
export class GatewayError extends Error {
  readonly failure: Failure
  constructor(code: ErrorCode, more: FailureDetails = {}, options?: ErrorOptions) {
    const failure = createFailure(code, more)
    super(failure.message, options)
    this.name = 'GatewayError'
    this.failure = failure
  }
}

/** Converts a failure to the error that ends its request. */
export function toGatewayError({ code, ...details }: Failure): GatewayError {
  return new GatewayError(code, details)
}

/**
 * Converts any error to a failure. A `GatewayError` keeps its own failure. Any other error becomes a fault of the
 * gateway.
 */
export function failureOf(error: unknown): Failure {
  return error instanceof GatewayError ? error.failure : createFailure('internal_error')
}

/** The cause of an error, for the log only. The message is worded for callers and may not mention the cause. */
export function causeOf({ failure, cause }: GatewayError): string | undefined {
  return failure.logCause ?? (cause instanceof Error ? cause.message : undefined)
}

/** The message of an error for an operator: the message of its cause where it has one, else its own. */
export function innerReasonOf(error: unknown): string {
  if (error instanceof GatewayError) return causeOf(error) ?? error.message
  return reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error)
}
