import { MINUTE_MS } from '../../kit/time/time-units.ts'

/** Clocks are often corrected by less than this. Time then stands still until the clock has caught up. */
const SMALL_STEP_MS = MINUTE_MS

/**
 * Wall time that never goes back, so that no window that has ended opens again. If the clock is set back by more than a
 * minute, time continues from its latest value. It is correct again once the clock has caught up or the process
 * restarts.
 */
export class MonotonicWallTime {
  #latestMs = Number.NEGATIVE_INFINITY
  #aheadMs = 0

  get latestMs(): number {
    return this.#latestMs
  }

  at(wallMs: number): number {
    if (wallMs >= this.#latestMs) this.#aheadMs = 0
    const nowMs = wallMs + this.#aheadMs
    if (nowMs >= this.#latestMs) this.#latestMs = nowMs
    else if (this.#latestMs - nowMs > SMALL_STEP_MS) this.#aheadMs = this.#latestMs - wallMs
    return this.#latestMs
  }
}
