import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionSource } from './connection-source.ts'

/** The connections of one listening address. Another process accepts them and hands them over. */
export class HandedConnections implements ConnectionSource {
  readonly port: number
  readonly #open = new Set<Socket>()
  #server: Server | undefined
  #onEnded: (() => void) | undefined

  constructor(port: number) {
    this.port = port
  }

  async attach(server: Server): Promise<void> {
    this.#server = server
    // Node watches how slowly heads arrive only after this event, which a server that never listens does not emit
    // (lib/_http_server.js of Node 24, seen 2026-11-24).
    server.emit('listening')
  }

  /** Serves a connection that was handed over. */
  adopt(socket: Socket): void {
    if (this.#server === undefined) {
      socket.destroy()
      return
    }
    // As with connections that the server accepts: a caller that has ended its side can still receive an answer.
    socket.allowHalfOpen = true
    this.#open.add(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      if (this.#open.size === 0) this.#onEnded?.()
    })
    // The documentation of node:http describes this event as the way to serve a connection that the server did not
    // accept.
    this.#server.emit('connection', socket)
  }

  get size(): number {
    return this.#open.size
  }

  ended(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onEnded = resolve
    })
  }
}
