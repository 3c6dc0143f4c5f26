import { readSync } from 'node:fs'
import { errorCodeOf } from '../../kit/errors/error-code.ts'

const STANDARD_INPUT = 0
const CHUNK_BYTES = 65_536
const RETRY_MS = 10

/**
 * Reads standard input to its end. The runtime makes a pipe non-blocking, so a read before the writer has written
 * fails with `EAGAIN` and is repeated: the writer is often a command that needs as long to start as this one.
 */
export function readStandardInput(): string {
  const chunks: Buffer[] = []
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  for (;;) {
    const length = readChunk(chunk)
    if (length === 0) return Buffer.concat(chunks).toString('utf8')
    if (length === undefined) Atomics.wait(pause, 0, 0, RETRY_MS)
    else chunks.push(Buffer.from(chunk.subarray(0, length)))
  }
}

/** The number of bytes that were read: 0 at the end, undefined where nothing is there yet. */
function readChunk(chunk: Buffer): number | undefined {
  try {
    return readSync(STANDARD_INPUT, chunk)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'EAGAIN') return undefined
    // Windows reports the end of a pipe as an error.
    if (code === 'EOF') return 0
    throw error
  }
}
