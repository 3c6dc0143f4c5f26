import { GatewayError } from '../../canonical/failure.ts'
import { reasonOf } from '../../kit/values/reason-of.ts'

/** What a command says of an error, in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof GatewayError && error.cause instanceof Error)) return reasonOf(error)
  // What callers are told of a store is that the log says why, and a command has no log.
  if (error.failure.code === 'store_unavailable') return error.cause.message
  return `${error.message} (${error.cause.message})`
}
