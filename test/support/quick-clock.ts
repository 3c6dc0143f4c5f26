import { type Clock, systemClock } from '../../src/kit/time/clock.ts'

/** A clock that goes so many times faster than the system's, so that long waits can be tried over real sockets. */
export function createQuickClock(times: number): Clock {
  const startMs = systemClock.nowMs()
  const startMonotonicMs = systemClock.monotonicMs()
  const monotonicMs = () => startMonotonicMs + (systemClock.monotonicMs() - startMonotonicMs) * times
  return {
    nowMs: () => startMs + (systemClock.nowMs() - startMs) * times,
    monotonicMs,
    startTimer: (delayMs, fire) => systemClock.startTimer(delayMs / times, fire),
  }
}
