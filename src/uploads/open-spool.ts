import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../canonical/operator-error.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { type MemoryAllowance, SpooledBytes } from './spooled-bytes.ts'

/** The folder for files that callers upload. */
export interface Spool {
  /** Opens the files of one request; `name` must be unique to it. */
  open(name: string, memory: MemoryAllowance): SpooledFiles
}

/** The files of one request, which are released together. */
export interface SpooledFiles {
  add(): SpooledBytes
  release(): void
}

/** Opens the folder, and deletes files that a killed process left there. Throws where the folder is not writable. */
export function openSpool(folder: string): Spool {
  emptyFolder(folder)
  return {
    open(name, allowance) {
      const files: SpooledBytes[] = []
      let isReleased = false
      return {
        add() {
          const bytes = new SpooledBytes({ path: join(folder, `${name}-${files.length}`), allowance })
          files.push(bytes)
          if (isReleased) bytes.release()
          return bytes
        },
        release() {
          isReleased = true
          for (const bytes of files) bytes.release()
        },
      }
    },
  }
}

/** Deletes the folder of uploads with all that ended processes left in it. */
export function deleteSpools(folder: string): void {
  naming(folder, () => rmSync(folder, { recursive: true, force: true }))
}

function emptyFolder(folder: string): void {
  naming(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true, recursive: true })
  })
}

function naming(folder: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    throw new OperatorError('file_unwritable', `${folder} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}
