import type { TrafficCount } from '../upstream/upstream-traffic.ts'

/** One connection through a fault proxy. Times are milliseconds since the opening. */
export interface SeenConnection {
  /** The connection's number, from 1. */
  readonly number: number
  readonly atMs: number
  readonly closedAtMs: number | undefined
  /** Passed on to the target. */
  readonly bytesUp: number
  /** Passed on to the caller. */
  readonly bytesDown: number
}

export interface ProxyTraffic extends TrafficCount {
  readonly connections: readonly SeenConnection[]
}

interface OpenConnection extends SeenConnection {
  closedAtMs: number | undefined
  bytesUp: number
  bytesDown: number
}

/** `bytesReceived` counts the bytes to the target, `bytesSent` those to callers. */
export class ProxyCounts implements ProxyTraffic {
  readonly connections: OpenConnection[] = []
  connectionsOpened = 0
  connectionsOpen = 0
  bytesReceived = 0
  bytesSent = 0

  open(atMs: number): SeenConnection {
    this.connectionsOpened += 1
    this.connectionsOpen += 1
    const number = this.connectionsOpened
    const connection = { number, atMs, closedAtMs: undefined, bytesUp: 0, bytesDown: 0 }
    this.connections.push(connection)
    return connection
  }

  addUp({ number }: SeenConnection, count: number): void {
    this.bytesReceived += count
    const connection = this.connections[number - 1]
    if (connection !== undefined) connection.bytesUp += count
  }

  addDown({ number }: SeenConnection, count: number): void {
    this.bytesSent += count
    const connection = this.connections[number - 1]
    if (connection !== undefined) connection.bytesDown += count
  }

  close({ number }: SeenConnection, atMs: number): void {
    this.connectionsOpen -= 1
    const connection = this.connections[number - 1]
    if (connection !== undefined) connection.closedAtMs = atMs
  }
}
