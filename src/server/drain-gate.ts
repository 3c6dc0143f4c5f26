import type { Clock } from '../kit/clock.ts'

/** Counts the exchanges under way, and lets them finish when the process must end. */
export interface DrainGate {
  readonly isDraining: boolean
  /** Notes an exchange and how to stop it; call what this gives back once the exchange is over. */
  enter(stop: () => void): () => void
  /** Refuses what is new from now on. Fulfilled when all is finished; what is not at the limit is stopped. */
  drain(limitMs: number): Promise<void>
}

export interface DrainGateParts {
  readonly clock: Clock
  readonly onActiveChange: (count: number) => void
}

/** What is stopped gets this long to tell its caller. */
const FAREWELL_MS = 1_000

export function createDrainGate({ clock, onActiveChange }: DrainGateParts): DrainGate {
  const stops = new Set<() => void>()
  let isDraining = false
  let finished: (() => void) | undefined

  return {
    get isDraining() {
      return isDraining
    },
    enter(stop) {
      stops.add(stop)
      onActiveChange(stops.size)
      return () => {
        stops.delete(stop)
        onActiveChange(stops.size)
        if (stops.size === 0) finished?.()
      }
    },
    drain(limitMs) {
      isDraining = true
      if (stops.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        finished = resolve
        clock.startTimer(limitMs, () => {
          for (const stop of stops) stop()
          clock.startTimer(FAREWELL_MS, resolve)
        })
      })
    },
  }
}
