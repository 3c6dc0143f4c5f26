import { createWriteStream, openSync, renameSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** Writes a file that only its owner can read. The file gets its name only once it is complete. */
export async function saveFile(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const unfinished = `${path}.unfinished`
  const file = openSync(unfinished, 'wx', 0o600)
  try {
    await pipeline(bytes, createWriteStream(unfinished, { fd: file, flush: true }))
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}
