import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errorRow } from '../../canonical/error-table.ts'
import { writeRawAnswer } from './write-raw-answer.ts'

/**
 * Answers what is not even a request: the parser gave up, so there is no path and no format to go by. An answer that
 * is still owed on this connection goes first, and is then the last: in its place, ours would be taken for it.
 */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  // The rest of a head that we do not read for now is not late.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.isPaused()) return
  if (!socket.writable) {
    // The last answer may still be on its way out.
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

/** An answer that has begun or whose request came whole, where it is not yet out. Node keeps it on the connection. */
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
          'The path and the headers are more than this gateway takes: 16 KB together, and 100 headers.',
      }
    default:
      return { status: 400, code: 'malformed_request' }
  }
}
