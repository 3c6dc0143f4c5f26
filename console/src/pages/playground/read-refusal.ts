import { ApiError } from '../../api/api-error.ts'
import { readError } from '../../api/call-api.ts'
import { isObject } from './write-chat-body.ts'

/**
 * The error of a request that has no answer. A provider's own error is passed on as it is: some have no code, a number
 * as code, or a text in place of an object.
 */
export function readRefusal(status: number, body: unknown): ApiError {
  const read = readError(status, body)
  const error = isObject(body) ? body['error'] : undefined
  const message = isObject(error) ? error['message'] : error
  if (read.code !== 'unreadable' || typeof message !== 'string' || message === '') return read
  return new ApiError({ code: 'upstream_rejected', status, message })
}
