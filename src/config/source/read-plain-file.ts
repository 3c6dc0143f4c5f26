import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { errorCodeOf } from '../../kit/errors/error-code.ts'

/** The size limit, far above any certificate, root bundle or key file. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * The flags keep the open call from blocking on a pipe without a writer, and keep a terminal from becoming the
 * process's controlling terminal. Windows has neither flag.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

export type PlainFile =
  | { readonly type: 'text'; readonly text: string }
  /** The reason, worded to precede the path. */
  | { readonly type: 'unfit'; readonly reason: string }

/**
 * Reads a small regular file. Any other kind of file is not read: reading a device or a pipe may never end, and four
 * such reads block all threads that resolve names and write files. Never rejects.
 */
export async function readPlainFile(path: string): Promise<PlainFile> {
  try {
    await using handle = await open(path, FLAGS)
    const stats = await handle.stat()
    if (!stats.isFile()) return { type: 'unfit', reason: describeKind(stats) }
    const bytes = stats.size > MAX_FILE_BYTES ? undefined : await readUpTo(handle, MAX_FILE_BYTES)
    if (bytes === undefined) return { type: 'unfit', reason: 'the file is larger than 1 MB:' }
    return { type: 'text', text: bytes.toString('utf8') }
  } catch (cause) {
    return { type: 'unfit', reason: describeFailure(cause) }
  }
}

/**
 * Reads up to `maxBytes` bytes. Undefined where the file is longer. The reported size is not trusted, since some system
 * files report 0.
 */
async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(maxBytes + 1)
  let length = 0
  while (length <= maxBytes) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) return buffer.subarray(0, length)
    length += bytesRead
  }
  return undefined
}

const NO_FILE = 'only a regular file is read, no device, pipe or socket:'

function describeKind(stats: Stats): string {
  return stats.isDirectory() ? 'this is a folder, name the file in it:' : NO_FILE
}

function describeFailure(cause: unknown): string {
  const code = errorCodeOf(cause) ?? 'unknown error'
  if (code === 'ENOENT') return 'there is no file'
  // These are the codes for opening a socket, or a device without a driver.
  return code === 'ENXIO' || code === 'ENODEV' ? NO_FILE : `the file cannot be read (${code}):`
}
