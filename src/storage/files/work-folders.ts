// Folders that a process needs for one piece of work. Their names have its ID, so that others know when it is gone.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '../../kit/errors/error-code.ts'

/** Makes a folder that only this user can read. */
export function makeWorkFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, `${prefix}${process.pid}-`))
}

/**
 * Deletes the folders of processes that were killed: they have data and secrets. Call it before this process makes a
 * folder of its own, as the ID may be that of a killed process, such as in a container.
 */
export function dropLeftFolders(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const made = /^(\d+)-[A-Za-z0-9]{6}$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '')
    if (made !== null && !isOtherProcess(Number(made[1])))
      rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The error is EPERM if the process is of another user.
    return errorCodeOf(error) === 'EPERM'
  }
}
