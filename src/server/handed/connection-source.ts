import type { Server } from 'node:http'

/** The source of a listener's connections, if the listener does not listen itself. */
export interface ConnectionSource {
  /** The port that callers connect to. */
  readonly port: number
  /** Passes the connections to the server from now on. */
  attach(server: Server): Promise<void>
  /** Fulfilled when all passed connections are closed. */
  ended(): Promise<void>
}
