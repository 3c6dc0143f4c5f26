import { connect, createServer, type Socket } from 'node:net'

export type Direction = 'to-server' | 'from-server'

/** An address that leads to a server, and over which bytes can be lost without a sign, as in a network that is cut. */
export interface TcpForwarder extends AsyncDisposable {
  readonly port: number
  /** Nothing gets through from now on, over open connections and over new ones; neither side sees an end. */
  hold(...directions: readonly Direction[]): void
  /** Lets through what was held, as TCP does that sends it again. */
  release(): void
  /** New connections lead to another server, and get through. What is held on open ones stays so. */
  leadTo(port: number): void
}

export async function openTcpForwarder(port: number): Promise<TcpForwarder> {
  const connections = new Set<ForwardedConnection>()
  let target = port
  let held: readonly Direction[] = []
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const connection = new ForwardedConnection(client, target, () => connections.delete(connection))
    connections.add(connection)
    connection.hold(held)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the forwarder has no port')
  const holdAll = (directions: readonly Direction[]) => {
    held = directions
    for (const connection of connections) connection.hold(directions)
  }
  return {
    port: address.port,
    hold: (...directions) => holdAll(directions),
    release: () => holdAll([]),
    leadTo(other) {
      target = other
      held = []
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const connection of connections) connection.end()
      await closed
    },
  }
}

class ForwardedConnection {
  readonly #client: Socket
  readonly #target: number
  readonly #onEnd: () => void
  /** Undefined while nothing of the caller has reached the server. */
  #server: Socket | undefined
  #held: readonly Direction[] = []
  readonly #flowing = new Set<Direction>()

  constructor(client: Socket, target: number, onEnd: () => void) {
    this.#client = client
    this.#target = target
    this.#onEnd = onEnd
    this.#watch(client, 'to-server')
  }

  hold(directions: readonly Direction[]): void {
    this.#held = directions
    const server = this.#connected()
    if (server === undefined) return
    this.#flow(this.#client, server, 'to-server')
    this.#flow(server, this.#client, 'from-server')
  }

  end(): void {
    this.#client.destroy()
    this.#server?.destroy()
    this.#onEnd()
  }

  /** The first packet of a connection is lost as all others are. */
  #connected(): Socket | undefined {
    if (this.#server !== undefined || this.#held.includes('to-server')) return this.#server
    this.#server = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true })
    this.#watch(this.#server, 'from-server')
    return this.#server
  }

  #flow(from: Socket, to: Socket, direction: Direction): void {
    const mayFlow = !this.#held.includes(direction)
    if (mayFlow === this.#flowing.has(direction)) return
    if (mayFlow) {
      this.#flowing.add(direction)
      if (from.closed) this.end()
      else from.pipe(to)
      return
    }
    this.#flowing.delete(direction)
    from.unpipe(to)
    from.pause()
  }

  #watch(socket: Socket, direction: Direction): void {
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      // The other side hears of an end only where packets get through.
      if (!this.#held.includes(direction)) this.end()
    })
  }
}
