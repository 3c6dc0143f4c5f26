import { GatewayError } from '../../canonical/failure.ts'
import { reasonOf } from '../../kit/values/reason-of.ts'

/** What a command says of an error, in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof GatewayError && error.cause instanceof Error)) return reasonOf(error)
  // The message for callers refers to the log, and a command has no log.
  if (error.failure.code === 'store_unavailable') return error.cause.message
  return `${error.message} (${error.cause.message})`
}
