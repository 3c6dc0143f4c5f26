import { createFailure, type Failure, GatewayError } from '../canonical/failure.ts'
import { renderFailure } from '../pipeline/response/response-writer.ts'
import type { RequestContext } from './request-context.ts'
import type { RouteReply } from './route.ts'

/** Any error as a failure: ours as they are, all else as our own fault. */
export function failureOfError(error: unknown): Failure {
  return error instanceof GatewayError ? error.failure : createFailure('internal_error')
}

/** A failure as an answer in the words of the path's format. */
export function writeRefusal(failure: Failure, context: RequestContext): RouteReply {
  const { format, requestId } = context
  const { status, headers, body } = renderFailure(failure, { format, requestId, headers: {} })
  return {
    status,
    headers: { 'content-type': 'application/json', ...format.requestIdHeaders(requestId), ...headers },
    body: typeof body === 'string' ? body : body.toString('utf8'),
  }
}
