import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { StoredBytes } from '../canonical/uploads/uploaded-form.ts'

/** The memory that the files of one form share. */
export interface MemoryAllowance {
  /** Reserves room for this many more bytes until the form is released; false where there is no room. */
  grow(bytes: number): boolean
}

export interface SpooledBytesOptions {
  /** The path of the file, if one is needed. */
  readonly path: string
  readonly allowance: MemoryAllowance
}

const OWNER_ONLY = 0o600
/** Each chunk in memory costs some hundred bytes more than it holds, so that many tiny chunks are joined. */
const TINY_BYTES = 1_024
const MAX_TINY_CHUNKS = 256

/** Windows keeps the name of an open file. On other systems an open file needs no name. */
const needsName = process.platform === 'win32'

/**
 * Bytes that a caller uploads: in memory up to an allowance, then in a file that only its owner may read. The file
 * loses its name as soon as it is open, so that it disappears with the process, however the process ends.
 */
export class SpooledBytes implements StoredBytes {
  length = 0
  readonly #options: SpooledBytesOptions
  #chunks: Buffer[] = []
  /** The number of tiny chunks at the end. */
  #tinyChunks = 0
  #file: FileHandle | undefined
  #isReleased = false

  constructor(options: SpooledBytesOptions) {
    this.#options = options
  }

  /** Whether the bytes are on disk. */
  get isOnDisk(): boolean {
    return this.#file !== undefined
  }

  /** Adds bytes. Only one write may run at a time. Rejects where the disk cannot store them. */
  async write(chunk: Buffer): Promise<void> {
    if (this.#file === undefined && this.#options.allowance.grow(chunk.length)) {
      this.#add(chunk)
    } else {
      const file = this.#file ?? (await this.#openFile())
      await writeAll(file, chunk, this.length)
    }
    this.length += chunk.length
  }

  #add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#tinyChunks = chunk.length < TINY_BYTES ? this.#tinyChunks + 1 : 0
    if (this.#tinyChunks < MAX_TINY_CHUNKS) return
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-this.#tinyChunks)))
    this.#tinyChunks = 0
  }

  read(position: number, length: number): Buffer | Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.length - position))
    return this.#file === undefined
      ? this.#readMemory(position, wanted)
      : readAll(this.#file, position, wanted)
  }

  /** Releases memory and file. Nothing may be read afterwards. A second call changes nothing. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#chunks = []
    const file = this.#file
    if (file !== undefined) void this.#close(file)
  }

  #readMemory(position: number, length: number): Buffer {
    const parts: Buffer[] = []
    let offset = 0
    for (const chunk of this.#chunks) {
      const from = Math.max(0, position - offset)
      const to = Math.min(chunk.length, position + length - offset)
      if (from < to) parts.push(chunk.subarray(from, to))
      offset += chunk.length
    }
    const [only] = parts
    return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
  }

  /** Moves the bytes in memory to the file, so that all bytes are together. */
  async #openFile(): Promise<FileHandle> {
    const { path } = this.#options
    const file = await open(path, 'wx+', OWNER_ONLY)
    try {
      if (!needsName) await unlink(path)
      let position = 0
      for (const chunk of this.#chunks) {
        await writeAll(file, chunk, position)
        position += chunk.length
      }
    } catch (error) {
      await this.#close(file)
      throw error
    }
    this.#chunks = []
    this.#file = file
    if (this.#isReleased) void this.#close(file)
    return file
  }

  /** Closes the file. The handle waits for reads and writes in progress. */
  async #close(file: FileHandle): Promise<void> {
    // A file that does not close, or no longer has a name, is gone all the same.
    await file.close().catch(() => undefined)
    // The same holds for its name.
    if (needsName) await unlink(this.#options.path).catch(() => undefined)
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

async function readAll(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}
