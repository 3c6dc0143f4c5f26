import { IncomingMessage } from 'node:http'

/** Takes a body's bytes as the parser finds them. */
export interface BodyConsumer {
  take(chunk: Buffer): void
  /** The body is whole. */
  end(): void
  /** The connection broke before. */
  fail(cause: Error): void
  /** What it did with a chunk threw; it gets no more. */
  onError(error: unknown): void
}

/**
 * A request whose body can go straight to its reader. As a stream each chunk would wait for two turns of a queue
 * and run through a buffer that nobody needs, before the first of it could be looked at.
 */
export class UnbufferedRequest extends IncomingMessage {
  #taker: BodyConsumer | undefined

  /** What came already, and from now on; undefined gives what is still to come back to the stream. */
  handTo(taker: BodyConsumer | undefined): void {
    this.#taker = taker
    if (taker !== undefined && (this.complete || this.readableLength > 0)) this.#handEarlier(taker)
  }

  /** What came while the request waited behind others of its connection. */
  #handEarlier(taker: BodyConsumer): void {
    const earlier: unknown = this.read()
    if (earlier instanceof Buffer) this.#hand(taker, earlier)
    if (this.complete && this.#taker === taker) this.#hand(taker)
  }

  /** A chunk, or the end. The parser calls this with nothing around it that could catch what is thrown. */
  #hand(taker: BodyConsumer, chunk?: Buffer): void {
    try {
      if (chunk === undefined) {
        this.#taker = undefined
        taker.end()
      } else {
        taker.take(chunk)
      }
    } catch (error) {
      this.#taker = undefined
      taker.onError(error)
    }
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const taker = this.#taker
    if (taker === undefined) return super.push(chunk, encoding)
    if (chunk instanceof Buffer) {
      this.#hand(taker, chunk)
      return true
    }
    this.#hand(taker)
    // What a stream does at its end nobody here waits for: the request goes on its way first.
    setImmediate(() => super.push(chunk))
    return false
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const taker = this.#taker
    this.#taker = undefined
    taker?.fail(error ?? new Error('the connection was closed'))
    super._destroy(error, callback)
  }
}
