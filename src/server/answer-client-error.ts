import type { Socket } from 'node:net'
import { type ErrorCode, errorRow } from '../canonical/error-table.ts'

const reasonPhrases: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** Answers what is not even a request: the parser gave up, so there is no path and no format to go by. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { status, code } = describe(error.code)
  const row = errorRow(code)
  const body = JSON.stringify({
    error: { message: row.message, type: 'invalid_request_error', param: null, code },
  })
  socket.end(
    `HTTP/1.1 ${status} ${reasonPhrases[status]}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function describe(code: string | undefined): { readonly status: number; readonly code: ErrorCode } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, code: 'request_timeout' }
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, code: 'malformed_request' }
  return { status: 400, code: 'malformed_request' }
}
