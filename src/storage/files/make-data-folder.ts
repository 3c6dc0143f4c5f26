import { accessSync, constants, mkdirSync } from 'node:fs'
import { errorCodeOf } from '../../kit/values/error-code.ts'
import { reasonOf } from '../../kit/values/reason-of.ts'

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file; name a folder',
  ENOTDIR: 'a part of its path is a file; name another folder',
  ENOENT: 'its path leads nowhere; look for a link in it whose target is gone',
  EACCES: 'this user may not write there; give it the right to, or name another folder',
  EROFS: 'the disk can only be read; name a folder on another one',
}

/** Creates the data folder where it is absent. Fails with a line for the operator where it is not writable. */
export function makeDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    const reason = reasons[errorCodeOf(cause) ?? ''] ?? reasonOf(cause)
    throw new Error(`the data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}
