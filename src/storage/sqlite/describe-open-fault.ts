import { adviseOnFault } from './advise-on-fault.ts'
import type { SqliteFault } from './sqlite-protocol.ts'

// https://sqlite.org/rescode.html, seen 2026-11-20
const SQLITE_BUSY = 5

/** Why a SQLite file could not be opened, in a line for the operator. */
export function describeOpenFault(file: string, fault: SqliteFault, whenDamaged: string): string {
  if (fault.code === undefined || fault.code % 256 !== SQLITE_BUSY) {
    return `${file} cannot be opened: ${adviseOnFault(fault, whenDamaged)}`
  }
  return `${file} is in use by another Headgate process; a data folder belongs to one process at a time, so choose another with --data`
}
