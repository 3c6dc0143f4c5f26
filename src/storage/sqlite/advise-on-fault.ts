import type { SqliteFault } from './sqlite-protocol.ts'

// https://sqlite.org/rescode.html, seen 2026-11-22
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** SQLite's message. For a damaged file it includes what an operator can do. */
export function adviseOnFault(fault: SqliteFault, whenDamaged: string): string {
  return isDamage(fault) ? `${fault.message}; ${whenDamaged}` : fault.message
}

/** Whether SQLite reports that the file is damaged, or is not a SQLite file. */
export function isDamage({ code = 0 }: SqliteFault): boolean {
  // The last eight bits of an extended code are the base code.
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(code % 256)
}
