import { createFailure, type Failure, GatewayError } from '../canonical/failure.ts'
import { renderFailure } from '../pipeline/outlet.ts'
import type { RequestContext } from './request-context.ts'
import type { RouteReply } from './route.ts'

/** Any error as a failure: ours as they are, the listener's by their codes, all else as our own fault. */
export function failureOfError(error: unknown, maxBodyBytes: number): Failure {
  if (error instanceof GatewayError) return error.failure
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return createFailure('request_too_large', {
        message: `The request body is larger than this gateway takes (${maxBodyBytes} bytes).`,
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return createFailure('unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return createFailure('malformed_request')
    default:
      return createFailure('internal_error')
  }
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
