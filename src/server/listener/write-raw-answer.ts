import { STATUS_CODES } from 'node:http'
import type { ErrorCode } from '../../canonical/error-table.ts'

export interface RawAnswer {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  /** Additional header lines. */
  readonly headers?: readonly string[]
}

/**
 * Writes an error as the bytes of an HTTP answer, for a connection without a valid request. It is the last answer on
 * that connection.
 */
export function writeRawAnswer({ status, code, message, headers = [] }: RawAnswer): string {
  const type = status >= 500 ? 'overloaded_error' : 'invalid_request_error'
  const body = JSON.stringify({ error: { message, type, param: null, code } })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
}
