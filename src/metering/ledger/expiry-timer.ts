import type { Clock, Timer } from '../../kit/time/clock.ts'

/** Ends waits at their deadlines, with one timer for all of them. */
export class ExpiryTimer {
  readonly #clock: Clock
  readonly #expire: (nowMs: number) => number | undefined
  #timer: Timer | undefined

  /** `expire` ends the waits whose deadline has passed on the monotonic clock. It returns the next deadline. */
  constructor(clock: Clock, expire: (nowMs: number) => number | undefined) {
    this.#clock = clock
    this.#expire = expire
  }

  /** The deadline of a wait that begins now. */
  endsAfter(limitMs: number): number {
    this.#timer ??= this.#clock.startTimer(limitMs, () => this.#onExpiry())
    return this.#clock.monotonicMs() + limitMs
  }

  cancel(): void {
    this.#timer?.cancel()
  }

  #onExpiry(): void {
    const nowMs = this.#clock.monotonicMs()
    const nextMs = this.#expire(nowMs)
    this.#timer =
      nextMs === undefined ? undefined : this.#clock.startTimer(nextMs - nowMs, () => this.#onExpiry())
  }
}
