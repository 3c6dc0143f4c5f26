import type { Server } from 'node:http'

/** The source of a listener's connections, where the listener does not listen itself. */
export interface ConnectionSource {
  /** The port that callers connect to. */
  readonly port: number
  /** Gives the server its connections from now on. */
  attach(server: Server): Promise<void>
  /** Fulfilled once no connection that was given is open. */
  ended(): Promise<void>
}
