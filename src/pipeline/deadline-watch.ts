import type { Clock } from '../kit/clock.ts'
import { type InFlightEntry, InFlightList } from '../kit/in-flight-list.ts'

/** Something under way that has deadlines of its own. */
export interface Watched {
  /** Looks at its deadlines; called a few times a second. */
  look(nowMs: number): void
}

/** Watches all that is under way with one timer, so that a request makes none. Deadlines are late by one tick at most. */
export interface DeadlineWatch {
  add(watched: Watched): WatchEntry
  remove(entry: WatchEntry): void
}

export type WatchEntry = InFlightEntry<Watched>

export const TICK_MS = 50

export function createDeadlineWatch(clock: Clock): DeadlineWatch {
  const underWay = new InFlightList<Watched>()
  let isTicking = false

  function tick() {
    isTicking = false
    const nowMs = clock.monotonicMs()
    for (const watched of underWay.all()) watched.look(nowMs)
    keepTicking()
  }

  function keepTicking() {
    if (isTicking || underWay.size === 0) return
    isTicking = true
    clock.startTimer(TICK_MS, tick)
  }

  return {
    add(watched) {
      const entry = underWay.add(watched)
      keepTicking()
      return entry
    },
    remove(entry) {
      underWay.remove(entry)
    },
  }
}
