import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errorRow } from '../../canonical/error-table.ts'
import { writeRawAnswer } from './write-raw-answer.ts'

/**
 * Answers bytes that are not a valid request. The parser failed, so the path and the format are not known. If an answer
 * on this connection is still to be sent, it is sent first and is the last one: otherwise the client would read the
 * error as that answer.
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  // The timeout does not apply while the gateway itself has paused reading the rest of the head.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.isPaused()) return
  if (!socket.writable) {
    // The last answer may not be sent completely yet.
    socket.destroySoon()
    return
  }
  const owed = owedAnswer(socket)
  if (owed !== undefined) {
    owed.shouldKeepAlive = false
    owed.once('close', () => socket.destroySoon())
    return
  }
  const { status, code, message } = describe(error.code)
  socket.end(writeRawAnswer({ status, code, message: message ?? errorRow(code).message }))
}

/**
 * The answer that is not sent completely yet: it has started, or its request arrived completely. Node stores it on the
 * connection.
 */
function owedAnswer(socket: Socket): ServerResponse | undefined {
  if (!('_httpMessage' in socket)) return undefined
  const response = socket._httpMessage
  if (!(response instanceof ServerResponse)) return undefined
  return response.req.complete || response.headersSent ? response : undefined
}

interface Described {
  readonly status: number
  readonly code: ErrorCode
  readonly message?: string
}

function describe(code: string | undefined): Described {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'request_timeout' }
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: 431,
        code: 'malformed_request',
        message:
          'The path and the headers are larger than this gateway accepts: 16 KB together, and 100 headers.',
      }
    default:
      return { status: 400, code: 'malformed_request' }
  }
}
