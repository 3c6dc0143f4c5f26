import type { Clock } from '../kit/clock.ts'

/** Something under way that has deadlines of its own. */
export interface Watched {
  /** Looks at its deadlines; called a few times a second. */
  look(nowMs: number): void
}

/** Watches all that is under way with one timer, so that a request makes none. Deadlines are late by one tick at most. */
export interface DeadlineWatch {
  add(watched: Watched): void
  remove(watched: Watched): void
}

export const TICK_MS = 50

export function createDeadlineWatch(clock: Clock): DeadlineWatch {
  const all = new Set<Watched>()
  let isTicking = false

  function tick() {
    isTicking = false
    const nowMs = clock.monotonicMs()
    for (const watched of all) watched.look(nowMs)
    keepTicking()
  }

  function keepTicking() {
    if (isTicking || all.size === 0) return
    isTicking = true
    clock.startTimer(TICK_MS, tick)
  }

  return {
    add(watched) {
      all.add(watched)
      keepTicking()
    },
    remove(watched) {
      all.delete(watched)
    },
  }
}
