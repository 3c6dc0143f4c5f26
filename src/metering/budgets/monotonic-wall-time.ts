import { type Clock, systemClock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'

/** Clocks are often corrected by less than this. Time then stands still until the clock has caught up. */
const SMALL_STEP_MS = MINUTE_MS

/**
 * Wall time that never goes back, so that no window that has ended opens again. If the clock is set back by more than a
 * minute, time continues from its latest value at the pace of the monotonic clock, whatever else the clock does. Time
 * follows the clock again once the clock has caught up, to the minute, or the process restarts.
 */
export class MonotonicWallTime {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  #latestMs = Number.NEGATIVE_INFINITY
  /** The difference from the monotonic clock while the clock is behind. */
  #aheadMs: number | undefined

  constructor(clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#clock = clock
  }

  get latestMs(): number {
    return this.#latestMs
  }

  at(wallMs: number): number {
    if (this.#aheadMs !== undefined)
      this.#latestMs = Math.max(this.#latestMs, Math.floor(this.#clock.monotonicMs() + this.#aheadMs))
    if (wallMs >= this.#latestMs - SMALL_STEP_MS) {
      this.#aheadMs = undefined
      this.#latestMs = Math.max(this.#latestMs, wallMs)
    } else this.#aheadMs ??= this.#latestMs - this.#clock.monotonicMs()
    return this.#latestMs
  }
}
