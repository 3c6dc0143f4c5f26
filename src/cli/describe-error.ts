import { GatewayError } from '../canonical/failure.ts'
import { reasonOf } from '../kit/reason-of.ts'

/** What a command says of an error, in one line. */
export function describeError(error: unknown): string {
  return error instanceof GatewayError && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : reasonOf(error)
}
