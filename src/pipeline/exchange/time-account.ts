/**
 * Divides the time of a request among what it was spent on: receiving, waiting in queues, and the waits before its
 * attempts. Moments are by `Clock.monotonicMs`.
 */
export class TimeAccount {
  /** The moment of the request's head. */
  readonly startedAtMs: number
  /** The time from the request's head until the pipeline took it up. */
  readonly receiveMs: number
  #queueMs = 0
  /** The end of the part of the request that is accounted for so far. */
  #accountedAtMs: number

  constructor(startedAtMs: number, nowMs: number) {
    this.startedAtMs = startedAtMs
    this.receiveMs = nowMs - startedAtMs
    this.#accountedAtMs = nowMs
  }

  get queueMs(): number {
    return this.#queueMs
  }

  /** Enters a wait in a queue that ends now. */
  endWait(nowMs: number): void {
    this.#queueMs += nowMs - this.#accountedAtMs
    this.#accountedAtMs = nowMs
  }

  /** Enters an attempt that took so long. Gives the wait before it. */
  endAttempt(endedAtMs: number, totalMs: number): number {
    const waitMs = Math.max(0, endedAtMs - totalMs - this.#accountedAtMs)
    this.#accountedAtMs = endedAtMs
    return waitMs
  }
}
