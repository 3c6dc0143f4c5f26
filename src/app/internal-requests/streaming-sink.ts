import type { StoppableSink } from '../../server/node-response-sink.ts'

export interface StreamHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The number of bytes that may wait for the reader. With more, the upstream is paused. */
const MAX_WAITING_BYTES = 64 * 1024

/** Passes an answer on to one reader at the reader's pace. The signal disconnects the reader. */
export class StreamingSink implements StoppableSink, AsyncIterable<Buffer> {
  readonly #head = Promise.withResolvers<StreamHead>()
  readonly #waiting: Buffer[] = []
  readonly #drainListeners: (() => void)[] = []
  readonly #goneListeners: (() => void)[] = []
  #stopListener: (() => void) | undefined
  #waitingBytes = 0
  #isOver = false
  #isGone = false
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    if (signal.aborted) this.#leave()
    else signal.addEventListener('abort', () => this.#leave(), { once: true })
  }

  /** Fulfilled when the answer starts. */
  get head(): Promise<StreamHead> {
    return this.#head.promise
  }

  /** Ends the sink if the answer never starts. */
  fail(error: unknown): void {
    this.#head.reject(error)
    this.#finish()
  }

  start(status: number, headers: Readonly<Record<string, string>>): void {
    this.#head.resolve({ status, headers })
  }

  write(bytes: Buffer | string): boolean {
    if (this.#isGone) return true
    const copied = Buffer.from(bytes)
    this.#waiting.push(copied)
    this.#waitingBytes += copied.length
    this.#wake?.()
    return this.#waitingBytes < MAX_WAITING_BYTES
  }

  end(last?: Buffer | string): void {
    if (last !== undefined) this.write(last)
    this.#finish()
  }

  /** Ends the stream without the terminator of the format, so that the reader sees that the answer is incomplete. */
  cut(): void {
    this.#finish()
  }

  onDrain(listener: () => void): void {
    this.#drainListeners.push(listener)
  }

  onGone(listener: () => void): void {
    this.#goneListeners.push(listener)
    if (this.#isGone) listener()
  }

  onStop(listener: () => void): void {
    this.#stopListener = listener
  }

  stop(): void {
    this.#stopListener?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const next = this.#waiting.shift()
        if (next !== undefined) {
          this.#waitingBytes -= next.length
          yield next
          continue
        }
        if (this.#isOver) return
        for (const listener of this.#drainListeners) listener()
        await this.#untilMore()
      }
    } finally {
      this.#leave()
    }
  }

  async #untilMore(): Promise<void> {
    if (this.#waiting.length > 0 || this.#isOver) return
    await new Promise<void>((wake) => {
      this.#wake = wake
    })
    this.#wake = undefined
  }

  #finish(): void {
    this.#isOver = true
    this.#wake?.()
  }

  #leave(): void {
    if (this.#isOver || this.#isGone) return
    this.#isGone = true
    this.#waiting.length = 0
    for (const listener of this.#goneListeners.splice(0)) listener()
    this.#finish()
  }
}
