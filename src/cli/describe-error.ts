import { GatewayError } from '../canonical/failure.ts'

/** What a command says of an error, in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof GatewayError && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : error.message
}
