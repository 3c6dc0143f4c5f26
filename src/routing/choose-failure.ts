import type { ErrorRow } from '../canonical/error-row.ts'
import { errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'

/** Of the failures of all attempts, the one that tells the caller most: what waiting helps with before what it does not. */
export function chooseFailure(all: readonly Failure[]): Failure {
  // That one target lacks an operation says nothing where another has it, and failed.
  const able = all.filter(({ code }) => code !== 'operation_not_supported')
  const failures = able.length === 0 ? all : able
  const last = failures.at(-1)
  if (last === undefined) return createFailure('no_channel')
  if (rank(last) === 0) return last
  const best = failures.reduce((chosen, one) => (rank(one) <= rank(chosen) ? one : chosen))
  const waits = failures.map((one) => one.retryAfterSeconds).filter((wait) => wait !== undefined)
  if (errorRow(best.code).retry !== 'wait' || waits.length === 0) return best
  return { ...best, retryAfterSeconds: Math.min(...waits) }
}

function rank(failure: Failure): number {
  const row: ErrorRow = errorRow(failure.code)
  if (row.blame === 'caller') return 0
  switch (row.retry) {
    case 'wait':
      return 1
    case 'caller':
      return 2
    case 'never':
      return 3
  }
}
