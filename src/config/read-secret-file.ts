import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { errorCodeOf } from '../kit/errors/error-code.ts'

/** The size limit, far above any key. A larger file is the wrong file. */
const MAX_BYTES = 64 * 1024

/**
 * The flags keep the open call from blocking on a pipe without a writer, and keep a terminal from becoming the
 * process's controlling terminal. Windows has neither flag.
 */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

export type SecretFile =
  | { readonly type: 'text'; readonly text: string }
  /** The reason, worded to follow the path. */
  | { readonly type: 'unfit'; readonly reason: string }

/** Reads a small text file whole, without its trailing line breaks. Never throws. */
export function readSecretFile(path: string): SecretFile {
  try {
    const bytes = readUpTo(path, MAX_BYTES)
    if (bytes === undefined) return unfit('is no regular file')
    if (bytes.length > MAX_BYTES) return unfit(`is larger than ${MAX_BYTES / 1024} KB`)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/[\r\n]+$/, '')
    return text === '' ? unfit('is empty') : { type: 'text', text }
  } catch (cause) {
    return unfit(describeFailure(cause))
  }
}

function unfit(reason: string): SecretFile {
  return { type: 'unfit', reason }
}

/**
 * Reads up to `maxBytes` bytes, and one more where the file is longer. Undefined where it is not a regular file, since
 * reading such a file may never end.
 */
function readUpTo(path: string, maxBytes: number): Buffer | undefined {
  const file = openSync(path, FLAGS)
  try {
    if (!fstatSync(file).isFile()) return undefined
    const buffer = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let read = 1; read > 0 && length < buffer.length; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, null)
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user; give it the right to',
  EISDIR: 'is a folder; name the file in it',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text',
}

function describeFailure(cause: unknown): string {
  const code = errorCodeOf(cause) ?? 'unknown error'
  return reasons[code] ?? `cannot be read (${code})`
}
