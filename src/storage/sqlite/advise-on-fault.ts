import type { SqliteFault } from './sqlite-protocol.ts'

// https://sqlite.org/rescode.html, seen 2026-11-22
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** SQLite's message, and for a damaged file what an operator can do about it. */
export function adviseOnFault({ message, code = 0 }: SqliteFault, whenDamaged: string): string {
  // The last eight bits of an extended code are the code that it extends.
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(code % 256) ? `${message}; ${whenDamaged}` : message
}
