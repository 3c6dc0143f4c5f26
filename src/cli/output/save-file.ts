import { createWriteStream, openSync, renameSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../canonical/operator-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'

/** Writes a file that only its owner can read. The file gets its name only once it is complete. */
export async function saveFile(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const unfinished = `${path}.unfinished`
  const file = openUnfinished(unfinished)
  try {
    await pipeline(bytes, createWriteStream(unfinished, { fd: file, flush: true }))
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

/** Creates a file that only its owner can read. Throws an `OperatorError` that says what the operator can do. */
export function openUnfinished(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (cause) {
    const code = errorCodeOf(cause)
    if (code === 'EEXIST') {
      const advice = 'wait for the command that writes it; if that command was interrupted, delete the file'
      throw new OperatorError('file_exists', `${path} exists already`, { advice, cause })
    }
    throw new OperatorError('file_unwritable', `${path} cannot be written (${code ?? reasonOf(cause)})`, {
      cause,
    })
  }
}
