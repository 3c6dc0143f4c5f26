import { innerReasonOf } from '../../canonical/failure.ts'

/** Reports the faults of work that is tried again and again, one for each series. */
export interface FaultSeries {
  failed(error: unknown): void
  succeeded(): void
}

/** The message of a series is `what` and the reason of its first fault. */
export function createFaultSeries(what: string, warn: (message: string) => void): FaultSeries {
  let hasWarned = false
  return {
    failed(error) {
      if (!hasWarned) warn(`${what}, and it is tried again: ${innerReasonOf(error)}`)
      hasWarned = true
    },
    succeeded() {
      hasWarned = false
    },
  }
}
