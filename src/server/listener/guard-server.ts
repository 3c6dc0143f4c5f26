import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { errorRow } from '../../canonical/error-table.ts'
import type { Clock, ReportFault } from '../../kit/time/clock.ts'
import { endConnection } from '../end-connection.ts'
import { answerClientError } from './answer-client-error.ts'
import { type ConnectionCount, countConnection } from './count-connection.ts'
import { writeRawAnswer } from './write-raw-answer.ts'

export interface GuardOptions {
  readonly clock: Clock
  readonly connections: ConnectionCount
  readonly reportFault: ReportFault
}

/**
 * Replaces some defaults of Node. Requests with `Expect` are checked before their body is requested. Tunnels, and
 * connections beyond the limit, are refused with a message.
 */
export function guardServer(server: Server, { clock, connections, reportFault }: GuardOptions): Server {
  const serve = (...exchange: unknown[]) => void server.emit('request', ...exchange)
  server.on('checkContinue', serve)
  server.on('checkExpectation', serve)
  server.on('connect', (_request, socket: Socket) => endConnection(socket, noTunnels, clock))
  const isSecure = server instanceof SecureServer
  server.on(isSecure ? 'secureConnection' : 'connection', surviveFaults)
  server.on('connection', (socket: Socket) => {
    try {
      if (countConnection(socket, connections)) return
      // A client cannot read an answer before the handshake.
      if (isSecure) socket.destroy()
      else socket.write(tooMany, () => socket.destroy())
    } catch (error) {
      reportFault('a connection', error)
      socket.destroy()
    }
  })
  server.on('clientError', (error, socket: Socket) => {
    try {
      answerClientError(error, socket)
    } catch (fault) {
      reportFault('a connection', fault)
      socket.destroy()
    }
  })
  return server
}

/**
 * Keeps an `error` listener on the socket. Node removes its own listeners from a connection that it hands over (a
 * tunnel, another protocol), and an `error` event without a listener would end the process. Node destroys the socket by
 * itself.
 */
function surviveFaults(socket: Socket): void {
  socket.on('error', () => undefined)
}

const noTunnels = writeRawAnswer({
  status: 405,
  code: 'method_not_allowed',
  message: 'This gateway opens no tunnels.',
  headers: ['allow: GET, HEAD, POST, PATCH, DELETE'],
})

const tooMany = writeRawAnswer({
  status: 503,
  code: 'too_many_connections',
  message: errorRow('too_many_connections').message,
  headers: ['retry-after: 1'],
})
