import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeWhenStalled } from '../kit/net/close-when-stalled.ts'
import type { ResponseSink } from '../pipeline/response/response-sink.ts'

export interface StoppableSink extends ResponseSink {
  /** Ends the answer under way, since the process must end. */
  stop(): void
}

/** A caller that takes nothing of what waits for it is gone after once to twice as long. */
const STALLED_MS = 30_000

/** Writes an answer to a caller's connection. */
export function createResponseSink(response: ServerResponse, stalledMs = STALLED_MS): StoppableSink {
  return new ServerResponseSink(response, stalledMs)
}

class ServerResponseSink implements StoppableSink {
  readonly #response: ServerResponse
  readonly #stalledMs: number
  #isOver = false
  #isWatched = false
  #hasWritten = false
  #stopListener: (() => void) | undefined

  constructor(response: ServerResponse, stalledMs: number) {
    this.#response = response
    this.#stalledMs = stalledMs
  }

  stop(): void {
    this.#stopListener?.()
  }

  onStop(listener: () => void): void {
    this.#stopListener = listener
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.#response.destroyed) this.#response.writeHead(status, headers)
  }

  write(bytes: Buffer | string): boolean {
    const response = this.#response
    if (this.#isOver || response.destroyed) return true
    const mayGoOn = response.write(bytes)
    // Node holds a write back until all else of this turn is done, which the first word need not wait for.
    if (!this.#hasWritten) response.socket?.uncork()
    this.#hasWritten = true
    if (!mayGoOn) this.#watchCaller(true)
    return mayGoOn
  }

  end(last?: Buffer | string): void {
    // A response that is written to after its end emits an error.
    if (this.#isOver) return
    this.#isOver = true
    this.#response.end(last)
    if (this.#response.writableLength > 0) this.#watchCaller(true)
  }

  cut(): void {
    this.#isOver = true
    // Sends what was written, then closes without the last chunk that would make the body whole.
    this.#watchCaller(true)
    const { socket } = this.#response
    if (socket !== null) socket.destroySoon()
    // The answer waits behind others of its connection; what was written leaves just after it has the socket.
    else this.#response.once('socket', (own: Socket) => queueMicrotask(() => own.destroySoon()))
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', () => {
      this.#watchCaller(false)
      listener()
    })
  }

  onGone(listener: () => void): void {
    this.#response.on('close', () => {
      if (!this.#isOver) listener()
    })
  }

  /** A watch that starts anew, with every heartbeat say, would never end. */
  #watchCaller(isWaiting: boolean): void {
    if (isWaiting === this.#isWatched) return
    this.#isWatched = isWaiting
    closeWhenStalled(this.#response.socket, isWaiting ? this.#stalledMs : undefined)
  }
}
