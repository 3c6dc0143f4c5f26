import type { Socket } from 'node:net'
import type { RequestListener } from './server-set.ts'

type Exchange = Parameters<RequestListener>

/** Requests of one connection that are worked on at once. Clients that pipeline send a handful. */
const MOST_UNDER_WAY = 16

/**
 * Bounds what one connection can have under way: what is pipelined beyond waits, and the connection is not read until
 * none waits. Node reads on by itself for as long as little of the answers waits to be sent. Answers leave in the order
 * of their requests whatever is done here; Node sees to that.
 */
export function serveInTurn(serve: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>()
  return (message, response) => {
    const { socket } = message
    let line = lines.get(socket)
    if (line === undefined) {
      line = new Line(socket, serve)
      lines.set(socket, line)
    }
    line.enter(message, response)
  }
}

class Line {
  readonly #socket: Socket
  readonly #serve: RequestListener
  #underWay = 0
  #waiting: Exchange[] = []

  constructor(socket: Socket, serve: RequestListener) {
    this.#socket = socket
    this.#serve = serve
  }

  enter(...exchange: Exchange): void {
    if (this.#underWay < MOST_UNDER_WAY) {
      this.#start(...exchange)
      return
    }
    if (this.#waiting.push(exchange) === 1) stopReading(this.#socket)
  }

  #start(...[message, response]: Exchange): void {
    this.#underWay += 1
    response.on('close', this.#leave)
    this.#serve(message, response)
  }

  /** An answer is out, or the connection is gone. */
  readonly #leave = (): void => {
    this.#underWay -= 1
    if (this.#waiting.length === 0) return
    // The last answer of a connection, or its end: nobody would see the others.
    if (!this.#socket.writable) this.#waiting = []
    const next = this.#waiting.shift()
    if (next !== undefined) this.#start(...next)
    if (this.#waiting.length === 0) readOn(this.#socket)
  }
}

/** Node reads on after each whole request and after much of what is written, and always by this method. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
}

function readOn(socket: Socket): void {
  Reflect.deleteProperty(socket, 'resume')
  socket.resume()
}
