import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const OWNER_ONLY = 0o600

/** Writes a file readable by its owner alone: whole and durable, or not at all. */
export function writePrivateFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`
  const file = openSync(temporary, 'w', OWNER_ONLY)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(dirname(path))
}

// Makes the new name itself durable. Windows has no such thing for folders.
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
