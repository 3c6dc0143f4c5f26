import { join } from 'node:path'
import { skipRunning } from './running-suite.ts'
import { topology } from './topology.ts'

/** Skips a test of what only one process can do, or what a test sees in one process alone. */
export function needsOneProcess(reason: string): void {
  if (topology !== 'one process') skipRunning(reason)
}

/** The reason where a test reaches a limit that one process alone does not grant. */
export const SHARES = 'each process grants its share of a limit, at least one'

/** The reason where a test fills the memory for bodies. */
export const BODIES = 'each process has its own memory for bodies'

/** A limit of which each process grants the share, for a test of what stays in one process, as a session does. */
export const limitOfShares = (share: number): number => (topology === 'one process' ? share : 2 * share)

/** Skips a test that needs one data folder with all of an installation. */
export function needsOneFolder(reason: string): void {
  if (topology === 'nodes') skipRunning(reason)
}

/** The SQLite file of the ledger, which nodes on PostgreSQL do not have. */
export function ledgerFileIn(dataFolder: string): string {
  needsOneFolder('it reads the SQLite file of the ledger')
  return join(dataFolder, 'ledger.db')
}
