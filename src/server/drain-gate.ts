import { InFlightList } from '../kit/collections/in-flight-list.ts'
import type { Clock } from '../kit/time/clock.ts'

/** Counts the exchanges in flight, and lets them finish when the process must end. */
export interface DrainGate {
  readonly isDraining: boolean
  /** The number of exchanges in progress. */
  readonly active: number
  /** Adds an exchange, with a function to stop it. Call the returned function when the exchange has ended. */
  enter(stop: () => void): () => void
  /** Calls the listener when draining starts. */
  onDrain(listener: () => void): void
  /**
   * Refuses new exchanges from now on. Fulfilled when all exchanges have finished. Exchanges still in flight after
   * `limitMs` are stopped.
   */
  drain(limitMs: number): Promise<void>
}

/** The time in which a stopped exchange can send a last message to its caller. */
const CLOSE_GRACE_MS = 1_000

export function createDrainGate({ clock }: { readonly clock: Clock }): DrainGate {
  const inFlight = new InFlightList<() => void>()
  let isDraining = false
  const drainListeners: (() => void)[] = []
  let finished: (() => void) | undefined

  return {
    get isDraining() {
      return isDraining
    },
    get active() {
      return inFlight.size
    },
    enter(stop) {
      const entry = inFlight.add(stop)
      return () => {
        inFlight.remove(entry)
        if (inFlight.size === 0) finished?.()
      }
    },
    onDrain(listener) {
      drainListeners.push(listener)
    },
    drain(limitMs) {
      isDraining = true
      for (const listener of drainListeners) listener()
      if (inFlight.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        finished = resolve
        clock.startTimer(limitMs, () => {
          for (const stop of inFlight.all()) stop()
          clock.startTimer(CLOSE_GRACE_MS, resolve)
        })
      })
    },
  }
}
