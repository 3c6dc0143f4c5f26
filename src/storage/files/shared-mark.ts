// The mark of a data folder whose installation is in a database: commands that run without a server find no data in
// the folder.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { describeUnusableFolder } from './unusable-folder.ts'
import { writePrivateFile } from './write-private-file.ts'

const MARK_FILE = 'database'

export interface SharedMark {
  /** The readable name of the database. */
  readonly name: string
  /** The schema of the tables; undefined where it is not known. */
  readonly schema: string | undefined
}

/** Marks the folder as shared. */
export function markShared(folder: string, { name, schema = '' }: SharedMark): void {
  writePrivateFile(join(folder, MARK_FILE), `${name}\n${schema}\n`)
}

export function unmarkShared(folder: string): void {
  try {
    rmSync(join(folder, MARK_FILE), { force: true })
  } catch (cause) {
    throw describeUnusableFolder(folder, cause)
  }
}

/** The database that holds the installation; undefined where the folder itself holds it. */
export function readSharedMark(folder: string): SharedMark | undefined {
  try {
    const [name = '', schema] = readFileSync(join(folder, MARK_FILE), 'utf8').trim().split('\n')
    return { name, schema }
  } catch (cause) {
    if (errorCodeOf(cause) !== 'ENOENT') throw describeUnusableFolder(folder, cause)
    return undefined
  }
}
