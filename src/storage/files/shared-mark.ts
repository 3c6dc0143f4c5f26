// The mark of a data folder whose installation is in a database: commands that run without a server find no data in
// the folder.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { describeUnusableFolder } from './unusable-folder.ts'
import { writePrivateFile } from './write-private-file.ts'

const MARK_FILE = 'database'

/** Marks the folder as shared; `name` is the readable name of the database. */
export function markShared(folder: string, name: string): void {
  writePrivateFile(join(folder, MARK_FILE), `${name}\n`)
}

export function unmarkShared(folder: string): void {
  try {
    rmSync(join(folder, MARK_FILE), { force: true })
  } catch (cause) {
    throw describeUnusableFolder(folder, cause)
  }
}

/** The name of the database that holds the installation; undefined where the folder itself holds it. */
export function readSharedMark(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, MARK_FILE), 'utf8').trim()
  } catch (cause) {
    if (errorCodeOf(cause) !== 'ENOENT') throw describeUnusableFolder(folder, cause)
    return undefined
  }
}
