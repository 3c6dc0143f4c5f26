import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { errorCodeOf } from '../../kit/errors/error-code.ts'

/** A bound far above any certificate, bundle of roots or key file. */
const MAX_FILE_BYTES = 1024 * 1024

/**
 * The flags keep the opening of a pipe from waiting for a writer, and a terminal from becoming the process's own.
 * Windows has neither.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

export type PlainFile =
  | { readonly type: 'text'; readonly text: string }
  /** The reason, to be followed by the path. */
  | { readonly type: 'unfit'; readonly reason: string }

/**
 * Reads a small regular file. Of anything else nothing is read: a device or a pipe may never come to an end, and four
 * such reads hold every thread that looks up names and writes files. Never rejects.
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

/** Undefined where there is more. The reported size is not trusted: some system files report 0. */
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
  // Opening a socket, or a device that nothing drives, ends with these codes.
  return code === 'ENXIO' || code === 'ENODEV' ? NO_FILE : `the file cannot be read (${code}):`
}
