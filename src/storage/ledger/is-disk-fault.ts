import type { SqliteFault } from '../sqlite/sqlite-protocol.ts'

// https://sqlite.org/rescode.html, seen 2026-11-23
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/**
 * Whether a fault is the disk's. After such a fault nothing may be written or tried again: what a failed fsync was to
 * write is gone from the system's memory, so that the next one succeeds without it. Only what is read from the disk
 * anew is true.
 */
export function isDiskFault({ code = 0 }: SqliteFault): boolean {
  // The last eight bits of an extended code are the code that it extends.
  return [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(code % 256)
}
