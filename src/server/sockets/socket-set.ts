import type { Clock, ReportFault, Timer } from '../../kit/time/clock.ts'
import type { SocketConnection } from './socket-connection.ts'
import type { RetireReason } from './socket-handler.ts'

const LOOK_EVERY_MS = 1_000
/** The time for close frames when the process ends. */
const CLOSE_GRACE_MS = 500

/** All WebSocket connections of callers. One timer checks their times. */
export class SocketSet {
  readonly #clock: Clock
  readonly #reportFault: ReportFault
  readonly #connections = new Set<SocketConnection>()
  #timer: Timer | undefined
  #onEmpty: (() => void) | undefined

  constructor(clock: Clock, reportFault: ReportFault) {
    this.#clock = clock
    this.#reportFault = reportFault
  }

  get size(): number {
    return this.#connections.size
  }

  countOf(keyId: string): number {
    let count = 0
    for (const connection of this.#connections) if (connection.keyId === keyId) count += 1
    return count
  }

  /** Adds a connection. Call the returned function when the connection is closed. */
  add(connection: SocketConnection): () => void {
    this.#connections.add(connection)
    this.#timer ??= this.#clock.startTimer(LOOK_EVERY_MS, () => this.#look())
    return () => {
      this.#connections.delete(connection)
      if (this.#connections.size === 0) this.#onEmpty?.()
    }
  }

  /** Lets each connection finish its requests in progress, and then closes it. */
  retire(reason: RetireReason): void {
    for (const connection of [...this.#connections]) this.#guard(() => connection.retire(reason))
  }

  /** Closes all connections, with a short time for their close frames. */
  async close(): Promise<void> {
    this.retire('draining')
    if (this.#connections.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onEmpty = resolve
    const timer = this.#clock.startTimer(CLOSE_GRACE_MS, () => {
      for (const connection of [...this.#connections]) connection.terminate()
      resolve()
    })
    await promise
    timer.cancel()
  }

  #look(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const connection of [...this.#connections]) this.#guard(() => connection.look(nowMs))
    if (this.#connections.size > 0) this.#timer?.restart()
    else this.#timer = undefined
  }

  /** A connection that fails must not prevent the check of the others. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#reportFault('a WebSocket connection', error)
    }
  }
}
