import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/**
 * Adds the socket to a reset, so that a reused connection can be recognized. The system's own error carries no
 * socket.
 */
export function reportSocketOnReset(connect: buildConnector.connector): buildConnector.connector {
  return function connectReporting(target, callback) {
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      reportOn(socket)
      callback(null, socket)
    })
  }
}

/**
 * This is a function of its own because the listener lives as long as the socket, and keeps everything in its scope
 * alive.
 */
function reportOn(socket: Socket): void {
  socket.prependListener('error', (fault: Error) => {
    if (!('socket' in fault)) Object.assign(fault, { socket: { bytesRead: socket.bytesRead } })
  })
}
