import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Closing } from '../script/position-schema.ts'

const rawSockets = new WeakMap<TLSSocket, Socket>()

/** Remembers the TCP connection below a TLS one, since only that can be reset. */
export function rememberRawSocket(secure: TLSSocket, raw: Socket): void {
  rawSockets.set(secure, raw)
}

/**
 * Ends a connection once what was written is with the system: by FIN and no more reading, by RST, or by a FIN after
 * which the other side may go on.
 */
export function closeSocket(socket: Socket, by: Closing): void {
  if (by === 'half-close') {
    socket.end()
    return
  }
  if (by === 'fin') {
    socket.end(() => socket.destroy())
    return
  }
  // A write with nothing in it is done when all before it are.
  socket.write('', () => resetSocket(socket))
}

export function resetSocket(socket: Socket): void {
  const raw = socket instanceof TLSSocket ? rawSockets.get(socket) : undefined
  if (raw === undefined) {
    socket.resetAndDestroy()
    return
  }
  raw.resetAndDestroy()
  socket.destroy()
}

/** Destroys connections. Fulfilled once every one of them is closed. */
export async function destroySockets(sockets: Iterable<Socket>): Promise<void> {
  const gone = [...sockets].map((socket) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.once('close', () => resolve())
    socket.destroy()
    return promise
  })
  await Promise.all(gone)
}
