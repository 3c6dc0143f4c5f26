/**
 * Divides the time of a request into receiving, waiting in queues, and the waits before its attempts. Times are by
 * `Clock.monotonicMs`.
 */
export class TimeAccount {
  /** The time at which the request's head was complete. */
  readonly startedAtMs: number
  /** The time from the request's head until the pipeline started the request. */
  readonly receiveMs: number
  #queueMs = 0
  /** The time up to which the request is accounted for. */
  #accountedAtMs: number

  constructor(startedAtMs: number, nowMs: number) {
    this.startedAtMs = startedAtMs
    this.receiveMs = nowMs - startedAtMs
    this.#accountedAtMs = nowMs
  }

  get queueMs(): number {
    return this.#queueMs
  }

  /** Adds a wait in a queue that ends now. */
  endWait(nowMs: number): void {
    this.#queueMs += nowMs - this.#accountedAtMs
    this.#accountedAtMs = nowMs
  }

  /** Adds an attempt that took `totalMs`. Returns the wait before the attempt. */
  endAttempt(endedAtMs: number, totalMs: number): number {
    const waitMs = Math.max(0, endedAtMs - totalMs - this.#accountedAtMs)
    this.#accountedAtMs = endedAtMs
    return waitMs
  }
}
