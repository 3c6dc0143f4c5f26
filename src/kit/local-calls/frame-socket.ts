import type { Socket } from 'node:net'
import { FrameReader, writeCallFrame } from './frames.ts'

export interface FrameEvents<Received> {
  readonly onMessage: (message: Received) => void
  /** Called once, however the connection ends. */
  readonly onClose: () => void
}

/** The limit of bytes that wait for a peer that does not read. Beyond it the connection closes. */
const MAX_UNSENT_BYTES = 512 * 1024 ** 2

/** A connection that carries values in both directions. The peer is a process of the same user and the same version. */
export class FrameSocket<Sent, Received> {
  readonly #socket: Socket
  #isCorked = false

  constructor(socket: Socket, { onMessage, onClose }: FrameEvents<Received>) {
    this.#socket = socket
    const reader = new FrameReader<Received>()
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const message of reader.push(chunk)) onMessage(message)
      } catch (error) {
        socket.destroy(error instanceof Error ? error : undefined)
      }
    })
    // The failure is ignored, since a close event follows it.
    socket.on('error', () => undefined)
    socket.once('close', onClose)
  }

  /** Sends a value. All values of one turn of the event loop go out in one write. */
  send(message: Sent): void {
    const socket = this.#socket
    if (socket.destroyed || !socket.writable) return
    if (!this.#isCorked) {
      this.#isCorked = true
      socket.cork()
      queueMicrotask(() => {
        this.#isCorked = false
        socket.uncork()
      })
    }
    socket.write(writeCallFrame(message))
    if (socket.writableLength > MAX_UNSENT_BYTES) socket.destroy()
  }

  /** Sends the queued values, then closes. */
  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}
