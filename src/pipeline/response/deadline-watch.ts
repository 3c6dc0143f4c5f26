import { type InFlightEntry, InFlightList } from '../../kit/collections/in-flight-list.ts'
import type { Clock, ReportFault, Timer } from '../../kit/time/clock.ts'

/** Something under way that has deadlines of its own. */
export interface Watched {
  /** Looks at its deadlines; called a few times a second. */
  look(nowMs: number): void
  /** `look` threw: what is watched ends, and takes itself out. Without this, the fault is reported. */
  onError?(error: unknown): void
}

/**
 * Watches all that is under way with one timer, so that a request makes none. Deadlines are late by one tick at most.
 */
export interface DeadlineWatch {
  add(watched: Watched): WatchEntry
  remove(entry: WatchEntry): void
}

export type WatchEntry = InFlightEntry<Watched>

export const TICK_MS = 50
/** The ticks with nothing to look at before the timer rests: setting it anew delays the request that needs it. */
const IDLE_TICKS = 20

export function createDeadlineWatch(clock: Clock, reportFault: ReportFault): DeadlineWatch {
  const inFlight = new InFlightList<Watched>()
  let timer: Timer | undefined
  let idleTicks = 0

  function tick() {
    const nowMs = clock.monotonicMs()
    for (const watched of inFlight.all()) lookAt(watched, nowMs)
    idleTicks = inFlight.size === 0 ? idleTicks + 1 : 0
    if (idleTicks < IDLE_TICKS) timer?.restart()
    else timer = undefined
  }

  /** One that throws ends alone: the others are looked at, and the timer goes on. */
  function lookAt(watched: Watched, nowMs: number) {
    try {
      watched.look(nowMs)
    } catch (error) {
      end(watched, error)
    }
  }

  function end(watched: Watched, error: unknown) {
    try {
      if (watched.onError === undefined) reportFault('a deadline', error)
      else watched.onError(error)
    } catch (second) {
      reportFault('a deadline', second)
    }
  }

  return {
    add(watched) {
      idleTicks = 0
      timer ??= clock.startTimer(TICK_MS, tick)
      return inFlight.add(watched)
    },
    remove: inFlight.remove.bind(inFlight),
  }
}
