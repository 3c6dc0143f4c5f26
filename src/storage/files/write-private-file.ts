import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../canonical/operator-error.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'

const OWNER_ONLY = 0o600

/** A file that is written and durable, but does not have its name yet. What may fail for want of room is done. */
export interface StagedFile {
  /** Gives it its name, in place of what has that; lets go of it where that fails. */
  commit(): void
  /** Lets go of it where it was not committed. */
  drop(): void
}

/** Writes a file readable by its owner alone: whole and durable, or not at all. */
export function writePrivateFile(path: string, text: string): void {
  stagePrivateFile(path, text).commit()
}

/** Does all of it but the last step. Fails, as that does, with a line for the operator. */
export function stagePrivateFile(path: string, text: string): StagedFile {
  const temporary = `${path}.${process.pid}.new`
  const drop = () => rmSync(temporary, { force: true })
  naming(path, () => {
    const file = openSync(temporary, 'w', OWNER_ONLY)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } catch (error) {
      drop()
      throw error
    } finally {
      closeSync(file)
    }
  })
  return {
    commit: () =>
      naming(path, () => {
        try {
          renameSync(temporary, path)
        } catch (error) {
          drop()
          throw error
        }
        syncFolder(dirname(path))
      }),
    drop,
  }
}

/** Node's own words do not name the file where it is written to by its number. */
function naming(path: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    throw new OperatorError('file_unwritable', `${path} cannot be written: ${reasonOf(cause)}`, { cause })
  }
}

/** Makes new names in a folder durable. Windows has no such thing for folders. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
