import { OperatorError } from '../../canonical/operator-error.ts'
import { isDamage } from './advise-on-fault.ts'
import type { SqliteFault } from './sqlite-protocol.ts'

// https://sqlite.org/rescode.html, seen 2026-11-20
const SQLITE_BUSY = 5

/** The error for the operator that says why a SQLite file could not be opened. */
export function openingError(file: string, fault: SqliteFault, whenDamaged: string): OperatorError {
  const { message, code, operatorError } = fault
  const unopened = `${file} cannot be opened`
  if (operatorError !== undefined) {
    const { code, happened, advice } = operatorError
    return new OperatorError(code, `${unopened}: ${happened}`, { advice })
  }
  if (code !== undefined && code % 256 === SQLITE_BUSY) {
    return new OperatorError('data_folder_in_use', `${file} is in use by another Headgate process`, {
      advice: 'a data folder belongs to one process at a time, so choose another with --data',
    })
  }
  if (isDamage(fault))
    return new OperatorError('database_damaged', `${unopened}: ${message}`, { advice: whenDamaged })
  return new OperatorError('database_unusable', `${unopened}: ${message}`)
}
