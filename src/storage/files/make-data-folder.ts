import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../canonical/operator-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'

interface Refusal {
  readonly reason: string
  readonly advice: string
}

const refusals: Readonly<Record<string, Refusal>> = {
  EEXIST: { reason: 'it is a file', advice: 'name a folder' },
  ENOTDIR: { reason: 'a part of its path is a file', advice: 'name another folder' },
  ENOENT: { reason: 'its path leads nowhere', advice: 'look for a link in it whose target is gone' },
  EACCES: {
    reason: 'this user may not write there',
    advice: 'give it the right to, or name another folder',
  },
  EROFS: { reason: 'the disk can only be read', advice: 'name a folder on another one' },
}

/** Creates the data folder where it is absent. Throws `OperatorError` where the folder is not writable. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolders(folder)
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    const known = refusals[errorCodeOf(cause) ?? '']
    const happened = `the data folder ${folder} cannot be used: ${known?.reason ?? reasonOf(cause)}`
    throw new OperatorError('data_folder_unusable', happened, {
      ...(known && { advice: known.advice }),
      cause,
    })
  }
}

/**
 * Creates a folder and those above it that are absent. Node's `recursive` never ends where the system answers ENOENT
 * below a folder that is there, as /proc does (Node 24.21, seen 2026-11-30).
 */
function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const code = errorCodeOf(error)
    // Another process can be faster. A link whose target is gone makes `statSync` throw ENOENT.
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return
    const parent = dirname(folder)
    if (code !== 'ENOENT' || existsSync(parent)) throw error
    makeFolders(parent)
    makeFolders(folder)
  }
}
