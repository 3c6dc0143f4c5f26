import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { isOperatorsPath } from '../operators-path.ts'
import { relayedHeaders } from './relayed-request.ts'

/** Passes a request on where it belongs to another process; false where it does not. */
export type Relay = (message: IncomingMessage, response: ServerResponse) => boolean

const AWAY = JSON.stringify({
  error: {
    message: 'The process that answers operators is starting again. Ask again in a second.',
    type: 'api_error',
    param: null,
    code: 'store_unavailable',
  },
})

/** Passes requests of operators on to the one process that answers them, over a socket in the data folder. */
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
      // The failure is ignored: where either side leaves, both connections are closed.
      pipeline(answer, response, () => undefined)
    })
    passed.on('error', () => {
      if (response.headersSent) response.destroy()
      else response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(AWAY)
    })
    response.once('close', () => passed.destroy())
    message.pipe(passed)
    return true
  }
}
