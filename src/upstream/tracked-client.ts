import type { Socket } from 'node:net'
import { type buildConnector, Client, type Dispatcher } from 'undici'
import { CallHandler } from './call-handler.ts'

/** A client of one connection at a time, which calls can ask for the bytes that it has received. */
export class TrackedClient extends Client {
  readonly #tracker: ConnectionTracker

  constructor(origin: URL, options: Client.Options & { readonly connect: buildConnector.connector }) {
    const tracker = new ConnectionTracker()
    super(origin, { ...options, connect: tracker.track(options.connect) })
    this.#tracker = tracker
  }

  override dispatch(call: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof CallHandler) handler.useConnection(this.#tracker)
    return super.dispatch(call, handler)
  }
}

class ConnectionTracker {
  #socket: Socket | undefined

  /** The bytes that the connection has received since it was opened. */
  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0
  }

  track(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) => {
      connect(target, (...[error, socket]) => {
        if (error !== null) return callback(error, null)
        this.#socket = socket
        callback(null, socket)
      })
    }
  }
}
