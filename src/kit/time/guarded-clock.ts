import type { Clock } from './clock.ts'

/** Reports what was thrown where nobody could answer for it. */
export type ReportFault = (source: string, error: unknown) => void

/**
 * A clock whose timers cannot end the process: what a callback throws is reported, and ends that timer alone. Node calls
 * timers with nothing around them.
 */
export function createGuardedClock(clock: Clock, reportFault: ReportFault): Clock {
  return {
    nowMs: clock.nowMs,
    monotonicMs: clock.monotonicMs,
    startTimer: (delayMs, fire) =>
      clock.startTimer(delayMs, () => {
        try {
          fire()
        } catch (error) {
          reportFault('a timer', error)
        }
      }),
  }
}
