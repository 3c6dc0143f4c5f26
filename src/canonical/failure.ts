import { reasonOf } from '../kit/errors/reason-of.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { type ErrorCode, errorRow } from './error-table.ts'

/** One thing that went wrong, as a row of the error table and what is known of this case. */
export interface Failure {
  readonly type: 'failure'
  readonly code: ErrorCode
  /** The message, which is safe to show to the caller: what happened, where, and what to do. */
  readonly message: string
  /** The caller's field at fault, in the caller's own names. */
  readonly param?: string
  /** The wait that the provider asks for; callers get a minute at most. */
  readonly retryAfterSeconds?: number
  /** The status of the upstream's answer, and its own error message where it could be read. */
  readonly upstream?: UpstreamWords
  /** Fields that a client's own recovery reads, such as `error_code` of the messages format. */
  readonly details?: JsonObject
  /** Everything that is wrong with a document, each with its path, where the admin API refuses one. */
  readonly problems?: readonly JsonObject[]
  /** The log's text instead of the message, where it can be more precise. */
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
  /** The unchanged body, stored only where a caller of the same format may get it verbatim. */
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

/** Thrown where a request ends; carries its failure to the one function that renders it. */
export class GatewayError extends Error {
  readonly failure: Failure
  constructor(code: ErrorCode, more: FailureDetails = {}, options?: ErrorOptions) {
    const failure = createFailure(code, more)
    super(failure.message, options)
    this.name = 'GatewayError'
    this.failure = failure
  }
}

/** Any error as a failure: ours as they are, all else as a fault of the gateway. */
export function failureOf(error: unknown): Failure {
  return error instanceof GatewayError ? error.failure : createFailure('internal_error')
}

/** The cause of an error, for the log alone: its message is worded for callers and may not say it. */
export function causeOf({ failure, cause }: GatewayError): string | undefined {
  return failure.logCause ?? (cause instanceof Error ? cause.message : undefined)
}

/** The message of an error for an operator: that of the error behind it, where there is one, else its own. */
export function innerReasonOf(error: unknown): string {
  if (error instanceof GatewayError) return causeOf(error) ?? error.message
  return reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error)
}
