import { createFailure, type Failure, GatewayError } from '../../canonical/failure.ts'

/** Creates the failure for an answer whose reader threw an error. The message of a field reader is safe to show. */
export function createUnreadableFailure(cause: unknown): Failure {
  if (!(cause instanceof GatewayError)) return createFailure('upstream_bad_response')
  return createFailure('upstream_bad_response', {
    message: `The model provider sent an answer that could not be read: ${cause.message}`,
  })
}
