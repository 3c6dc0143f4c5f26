import { accessSync, constants, mkdirSync } from 'node:fs'

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
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
    throw new Error(`the data folder ${folder} cannot be used: ${reason}`, { cause })
  }
}
