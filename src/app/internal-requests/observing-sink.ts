import type { Clock } from '../../kit/time/clock.ts'
import type { StoppableSink } from '../../server/node-response-sink.ts'

/** Bytes of an answer, and when they came. */
export interface ArrivedBytes {
  readonly bytes: Buffer
  /** A time by `Clock.monotonicMs`. */
  readonly atMs: number
}

/** A longer answer is left: no check asks for one. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Gathers an answer together with the time at which each part came. Its reader leaves upon the signal. */
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
    // No write is ever refused.
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
