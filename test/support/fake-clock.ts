import type { Clock, Timer } from '../../src/kit/time/clock.ts'

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves time on and fires every timer that is due on the way, each at its own instant and in order, those included
   * that a fired timer starts.
   */
  advance(milliseconds: number): void
  /** Timers that have neither fired nor been cancelled. */
  readonly pendingTimers: number
}

interface Entry {
  dueMs: number
  /** Tells apart timers that are due at the same instant: the earlier start goes first. */
  order: number
  readonly fire: () => void
}

/** Wall time starts at `startMs`, time that never goes back at 0. */
export function createFakeClock(startMs = Date.parse('2026-11-20T12:00:00Z')): FakeClock {
  let elapsedMs = 0
  let started = 0
  const waiting = new Set<Entry>()

  function schedule(entry: Entry, delayMs: number): void {
    entry.dueMs = elapsedMs + Math.max(0, delayMs)
    started += 1
    entry.order = started
    waiting.add(entry)
  }

  function nextUntil(limitMs: number): Entry | undefined {
    return [...waiting]
      .filter((entry) => entry.dueMs <= limitMs)
      .sort((left, right) => left.dueMs - right.dueMs || left.order - right.order)[0]
  }

  return {
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    startTimer(delayMs, fire): Timer {
      const entry: Entry = { dueMs: 0, order: 0, fire }
      schedule(entry, delayMs)
      return {
        cancel: () => {
          waiting.delete(entry)
        },
        restart: () => schedule(entry, delayMs),
      }
    },
    advance(milliseconds) {
      const limitMs = elapsedMs + milliseconds
      for (let next = nextUntil(limitMs); next !== undefined; next = nextUntil(limitMs)) {
        waiting.delete(next)
        elapsedMs = next.dueMs
        next.fire()
      }
      elapsedMs = limitMs
    },
    get pendingTimers() {
      return waiting.size
    },
  }
}
