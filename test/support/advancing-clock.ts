import { type Clock, systemClock } from '../../src/kit/time/clock.ts'

export interface AdvancingClock extends Clock {
  /** Lets so much time have gone by. Timers that run fire no sooner. */
  advance(byMs: number): void
}

/** The system's clock, which a test can put forward in place of a wait. */
export function createAdvancingClock(): AdvancingClock {
  let aheadMs = 0
  return {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    startTimer: systemClock.startTimer,
    advance(byMs) {
      aheadMs += byMs
    },
  }
}
