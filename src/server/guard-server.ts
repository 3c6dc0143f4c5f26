import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { errorRow } from '../canonical/error-table.ts'
import { type ConnectionCount, noteConnection } from './note-connection.ts'
import { writeRawAnswer } from './write-raw-answer.ts'

/**
 * What Node would do by itself and we would rather say: requests that wait to be asked for their body are judged
 * first, tunnels are refused in words, and so is a connection too many.
 */
export function guardServer(server: Server, connections: ConnectionCount): Server {
  const serve = (...exchange: unknown[]) => void server.emit('request', ...exchange)
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('connect', (_request, socket: Socket) => {
    socket.end(
      writeRawAnswer({
        status: 405,
        code: 'method_not_allowed',
        message: 'This gateway opens no tunnels.',
        headers: ['allow: GET, HEAD, POST, PATCH, DELETE'],
      }),
    )
  })
  const isSecure = server instanceof SecureServer
  server.on('connection', (socket: Socket) => {
    if (noteConnection(socket, connections)) return
    // Nobody could read words before the handshake.
    if (isSecure) socket.destroy()
    else socket.write(tooMany, () => socket.destroy())
  })
  return server
}

const tooMany = writeRawAnswer({
  status: 503,
  code: 'too_many_connections',
  message: errorRow('too_many_connections').message,
  headers: ['retry-after: 1'],
})
