import { type InFlightEntry, InFlightList } from '../../kit/collections/in-flight-list.ts'
import type { Clock, ReportFault, Timer } from '../../kit/time/clock.ts'

/** Work in progress that has its own deadlines. */
export interface Watched {
  /** Checks the deadlines. Called a few times a second. */
  look(nowMs: number): void
  /** Called when `look` threw: the watched work ends and removes itself. Without this method, the fault is reported. */
  onError?(error: unknown): void
}

/**
 * Watches all work in progress with one timer, so that a request needs no timer of its own. Deadlines are at most one
 * tick late.
 */
export interface DeadlineWatch {
  add(watched: Watched): WatchEntry
  remove(entry: WatchEntry): void
}

export type WatchEntry = InFlightEntry<Watched>

export const TICK_MS = 50
/**
 * The number of ticks with nothing to watch before the timer stops. Starting the timer again delays the request that
 * needs it.
 */
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

  /** Checks one entry. An entry that throws ends, but the others are still checked, and the timer continues. */
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
