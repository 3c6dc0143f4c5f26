import type { SqliteFault } from '../sqlite/sqlite-protocol.ts'

// https://sqlite.org/rescode.html, seen 2026-11-23
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/**
 * Whether a fault is the disk's. After such a fault nothing may be written or retried: the data that a failed fsync
 * was to write is gone from the system's memory, so that the next fsync succeeds without it. Only data that is read
 * again from the disk is reliable.
 */
export function isDiskFault({ code = 0 }: SqliteFault): boolean {
  // The last eight bits of an extended code are the base code.
  return [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB].includes(code % 256)
}
