import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { isOperatorsPath } from '../operators-path.ts'
import { relayedHeaders } from './relayed-request.ts'

/** Relays a request that belongs to another process. Returns false if it does not. */
export type Relay = (message: IncomingMessage, response: ServerResponse) => boolean

const AWAY = JSON.stringify({
  error: {
    message:
      'The process that answers operators gave no answer: it starts again, or it closed the connection. Ask again in a second.',
    type: 'api_error',
    param: null,
    code: 'store_unavailable',
  },
})

/** Forms of the console are smaller. Larger bodies are streamed. */
const MAX_WHOLE_BODY_BYTES = 64 * 1_024

/** Relays requests of operators to the process that answers them, over a socket in the data folder. */
export function relayOperators(socketPath: string): Relay {
  return (message, response) => {
    const [path = ''] = (message.url ?? '').split('?', 1)
    if (!isOperatorsPath(path)) return false
    const passed = request({
      socketPath,
      agent: false,
      method: message.method,
      path: message.url,
      headers: relayedHeaders(message),
    })
    passed.on('response', (answer) => {
      const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = answer.headers
      response.writeHead(answer.statusCode ?? 502, headers)
      // The error is ignored: if either side disconnects, both connections are closed.
      pipeline(answer, response, () => undefined)
    })
    passed.on('error', () => {
      if (response.headersSent) response.destroy()
      else response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(AWAY)
    })
    response.once('close', () => passed.destroy())
    sendBody(message, passed)
    return true
  }
}

/**
 * Sends the body. A request may be answered, and its connection closed, before the body was read. A write to a closed
 * connection loses the answer, so a small body is sent with the head in one write.
 */
function sendBody(message: IncomingMessage, passed: ClientRequest): void {
  const length = Number(message.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  if (length > MAX_WHOLE_BODY_BYTES) {
    message.pipe(passed)
    return
  }
  const parts: Buffer[] = []
  message.on('data', (part: Buffer) => parts.push(part))
  message.on('end', () => passed.end(Buffer.concat(parts)))
}
