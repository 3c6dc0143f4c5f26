import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const MEMORY = '/dev/shm'
/** Ten times the size of the folders of a run at its busiest moment. */
const NEEDED_BYTES = 2 * 1024 ** 3

/**
 * Has tests keep their data folders in memory, where the machine has enough of it. The tests open thousands of databases,
 * and every commit waits for the disk. What a disk promises is shown by `ledger-crash` and `power-loss` of the long run.
 */
export function keepFoldersInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !hasMemory()) return
  const folder = mkdtempSync(`${MEMORY}/headgate-tests-`)
  // The server of PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY) || freemem() < NEEDED_BYTES) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= NEEDED_BYTES
}
