/** Time as the rest of the code may know it. The system's clock is made in one place; tests hand in their own. */
export interface Clock {
  /** Wall time in milliseconds since 1970, for what people read and what is stored. */
  nowMs(): number
  /** Time that never goes back, in milliseconds, for durations. */
  monotonicMs(): number
  /** Calls `fire` once after `delayMs`. The timer does not keep the process alive. */
  startTimer(delayMs: number, fire: () => void): Timer
}

export interface Timer {
  cancel(): void
  /** Starts the same delay again from now. */
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

/** Waits, and keeps the process alive meanwhile: for commands that go on by themselves. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, delayMs)
  })
}

/** Lets everything else that is due have its turn of the event loop first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Reports an error that no caller can handle. */
export type ReportFault = (source: string, error: unknown) => void

/**
 * A clock whose timers cannot end the process: what a callback throws is reported, and ends that timer alone.
 * Node calls timers with nothing around them.
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
