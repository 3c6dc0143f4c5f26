import { accessSync, constants, mkdirSync } from 'node:fs'
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
    mkdirSync(folder, { recursive: true, mode: 0o700 })
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
