import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../canonical/operator-error.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'

const OWNER_ONLY = 0o600

/**
 * A file that is written and durable under a temporary name. All steps that may fail for lack of disk space are done.
 */
export interface StagedFile {
  /** Renames the file to its final name, in place of the existing file. Deletes the temporary file where that fails. */
  commit(): void
  /** Deletes the temporary file where it was not committed. */
  drop(): void
}

/** Writes a file readable only by its owner: whole and durable, or not at all. */
export function writePrivateFile(path: string, text: string): void {
  stagePrivateFile(path, text).commit()
}

/** Performs all steps of `writePrivateFile` except the last. Throws `OperatorError`. */
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

/** Adds the path to errors: Node's own message does not name a file that is written through its descriptor. */
function naming(path: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    throw new OperatorError('file_unwritable', `${path} cannot be written: ${reasonOf(cause)}`, { cause })
  }
}

/** Makes new names in a folder durable. Windows has no such operation for folders. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
