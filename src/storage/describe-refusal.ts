import type { SqliteFault } from './sqlite-protocol.ts'

// https://sqlite.org/rescode.html, seen 2026-11-20
const SQLITE_BUSY = 5

/** Why a SQLite file could not be opened, in a line for the operator. */
export function describeRefusal(file: string, { message, code }: SqliteFault): string {
  if (code === undefined || code % 256 !== SQLITE_BUSY) return `${file} cannot be opened: ${message}`
  return `${file} is in use by another Headgate process; stop that one, or choose another data folder`
}
