import type { Clock } from '../../kit/time/clock.ts'
import type { StoppableSink } from '../../server/node-response-sink.ts'

/** Bytes of an answer, and the time of their arrival. */
export interface ArrivedBytes {
  readonly bytes: Buffer
  /** A time of `Clock.monotonicMs`. */
  readonly atMs: number
}

/** The maximum size of an answer. Longer ones are cut off, since no check needs them. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Collects an answer with the arrival time of each part. The signal disconnects the reader. */
export class ObservingSink implements StoppableSink, Disposable {
  readonly arrived: ArrivedBytes[] = []
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #signal: AbortSignal
  status: number | undefined
  #bytes = 0
  #isOver = false
  readonly #goneListeners: (() => void)[] = []
  #stopListener: (() => void) | undefined
  readonly #leave = () => {
    if (!this.#isOver) for (const listener of this.#goneListeners.splice(0)) listener()
  }

  constructor(clock: Pick<Clock, 'monotonicMs'>, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    signal.addEventListener('abort', this.#leave)
  }

  start(status: number): void {
    this.status = status
  }

  write(bytes: Buffer | string): boolean {
    const copied = Buffer.from(bytes)
    this.#bytes += copied.length
    if (this.#bytes > MAX_ANSWER_BYTES) this.#leave()
    else this.arrived.push({ bytes: copied, atMs: this.#clock.monotonicMs() })
    return true
  }

  end(last?: Buffer | string): void {
    if (last !== undefined) this.write(last)
    this.#isOver = true
  }

  cut(): void {
    this.#isOver = true
  }

  onDrain(): void {
    // Writes are never refused, so there is nothing to wait for.
  }

  onGone(listener: () => void): void {
    this.#goneListeners.push(listener)
    if (this.#signal.aborted) this.#leave()
  }

  onStop(listener: () => void): void {
    this.#stopListener = listener
  }

  stop(): void {
    this.#stopListener?.()
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#leave)
  }
}
