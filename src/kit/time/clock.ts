/** The source of time for all other code. The system's clock is created in one place. Tests pass their own clock. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970, for display and storage. */
  nowMs(): number
  /** Time in milliseconds that never goes back, for durations. */
  monotonicMs(): number
  /** Calls `fire` once after `delayMs`. The timer does not keep the process alive. */
  startTimer(delayMs: number, fire: () => void): Timer
}

export interface Timer {
  cancel(): void
  /** Restarts the same delay from now. */
  restart(): void
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  startTimer(delayMs, fire) {
    const handle = setTimeout(fire, delayMs)
    handle.unref()
    return {
      cancel: () => clearTimeout(handle),
      restart: () => {
        handle.refresh()
      },
    }
  },
}

/** Waits, and keeps the process alive until the delay is over. It is for commands that run without a server. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs)
  })
}

/** Yields the event loop, so that everything else that is due runs first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Reports an error that no caller can handle. */
export type ReportFault = (source: string, error: unknown) => void

/**
 * Creates a clock whose timers cannot end the process. An error that a callback throws is reported, and ends only
 * that timer. Node does not catch errors of timer callbacks.
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
