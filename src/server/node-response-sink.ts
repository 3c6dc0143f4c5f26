import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeWhenStalled } from '../kit/net/close-when-stalled.ts'
import type { ResponseSink } from '../pipeline/response/response-sink.ts'

export interface StoppableSink extends ResponseSink {
  /** Ends the answer in progress, since the process must end. */
  stop(): void
}

/** A caller that reads nothing of the waiting bytes is disconnected after one to two times this. */
const STALLED_MS = 30_000

/**
 * Chunks up to this size are copied into one buffer with their frame, since two system calls cost more than the copy.
 */
const MAX_COPIED_BYTES = 16 * 1024

/** The chunk of size 0, which ends a body: https://www.rfc-editor.org/rfc/rfc9112#section-7.1, seen 2026-11-24. */
const LAST_CHUNK = '0\r\n\r\n'

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a

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
  /** Whether chunks of the transfer encoding are framed here instead of by Node (decision 0030). */
  #framesChunks = false
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
    const response = this.#response
    if (response.destroyed) return
    response.writeHead(status, headers)
    this.#framesChunks = response.chunkedEncoding
    response.chunkedEncoding = false
  }

  write(bytes: Buffer | string): boolean {
    const response = this.#response
    if (this.#isOver || response.destroyed) return true
    // An empty chunk would end the answer.
    if (bytes.length === 0) return true
    const mayGoOn = this.#framesChunks ? this.#writeChunk(bytes) : response.write(bytes)
    // Node delays a write until the end of the current turn. The first bytes are sent without that delay.
    if (!this.#hasWritten) response.socket?.uncork()
    this.#hasWritten = true
    if (!mayGoOn) this.#watchCaller(true)
    return mayGoOn
  }

  end(last?: Buffer | string): void {
    // A write to a response after its end emits an error.
    if (this.#isOver) return
    this.#isOver = true
    if (this.#framesChunks) this.#endChunks(last)
    else this.#endWhole(last)
    if (this.#response.writableLength > 0) this.#watchCaller(true)
    // The next answer of the connection may take its provider longer than a caller may stall. The listener must run
    // before Node's own, which passes the connection on to that answer.
    if (this.#isWatched) this.#response.prependOnceListener('finish', () => this.#watchCaller(false))
  }

  cut(): void {
    this.#isOver = true
    // Sends the bytes written so far, then closes without the last chunk. Without it the client sees that the body is
    // incomplete.
    this.#watchCaller(true)
    const { socket } = this.#response
    if (socket !== null) socket.destroySoon()
    // The answer waits after other answers of its connection. The bytes written so far are sent as soon as it gets the
    // socket.
    else this.#response.once('socket', (own: Socket) => queueMicrotask(() => own.destroySoon()))
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', () => {
      this.#watchCaller(false)
      listener()
    })
  }

  onGone(listener: () => void): void {
    // A caller may have disconnected after the last byte of its upload, while that was stored.
    if (this.#response.destroyed) listener()
    else
      this.#response.on('close', () => {
        if (!this.#isOver) listener()
      })
  }

  /** Sends a small chunk as one buffer in one write. A large chunk is not copied. */
  #writeChunk(bytes: Buffer | string): boolean {
    const response = this.#response
    const size = Buffer.byteLength(bytes)
    if (size <= MAX_COPIED_BYTES) return response.write(frameChunk(bytes, size))
    response.write(sizeLine(size), 'latin1')
    response.write(bytes)
    return response.write('\r\n', 'latin1')
  }

  /**
   * Sends a small last part in one write together with the head, which Node joins only with a text. In a text of
   * Latin-1 each character is one byte.
   */
  #endWhole(last: Buffer | string | undefined): void {
    const response = this.#response
    const isSmall = last !== undefined && last.length > 0 && last.length <= MAX_COPIED_BYTES
    if (!isSmall || this.#hasWritten || response.destroyed) {
      response.end(last)
      return
    }
    if (typeof last === 'string') response.write(last)
    else response.write(last.toString('latin1'), 'latin1')
    response.socket?.uncork()
    response.end()
  }

  #endChunks(last: Buffer | string | undefined): void {
    if (last !== undefined && last.length > 0) this.#writeChunk(last)
    this.#response.end(LAST_CHUNK, 'latin1')
  }

  readonly #watchOwn = (own: Socket): void => {
    if (this.#isWatched) closeWhenStalled(own, this.#stalledMs)
  }

  /**
   * Starts or stops the stall watch. A watch that is running is not restarted: restarted by every heartbeat, it would
   * never expire.
   */
  #watchCaller(isWaiting: boolean): void {
    if (isWaiting === this.#isWatched) return
    this.#isWatched = isWaiting
    const { socket } = this.#response
    if (socket !== null) closeWhenStalled(socket, isWaiting ? this.#stalledMs : undefined)
    // The answer waits after other answers of its connection, and is watched once its own turn comes.
    else if (isWaiting) this.#response.once('socket', this.#watchOwn)
  }
}

/** The line before a chunk with this number of bytes. */
function sizeLine(size: number): string {
  return `${size.toString(16)}\r\n`
}

/** A chunk of the chunked transfer encoding: its size in hex digits, a line end, its bytes and a line end. */
function frameChunk(bytes: Buffer | string, size: number): Buffer {
  const line = sizeLine(size)
  const framed = Buffer.allocUnsafe(line.length + size + 2)
  framed.write(line, 'latin1')
  if (typeof bytes === 'string') framed.write(bytes, line.length)
  else framed.set(bytes, line.length)
  framed[line.length + size] = CARRIAGE_RETURN
  framed[line.length + size + 1] = LINE_FEED
  return framed
}
