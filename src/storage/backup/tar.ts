import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { unixSeconds } from '../../kit/time/unix-seconds.ts'
import { DamagedBackupError } from './damaged-backup-error.ts'

/**
 * A tape archive of plain files: POSIX ustar, and GNU's binary sizes for files of 8 GB and more
 * (https://www.gnu.org/software/tar/manual/html_node/Standard.html, seen 2026-11-22).
 */
export interface TarFile {
  readonly name: string
  readonly size: number
  readonly bytes: AsyncIterable<Buffer>
}

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const MAX_OCTAL_BYTES = 0o77777777777
/** The offsets and lengths of a header's fields. */
const field = {
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const

export const tarEnd = Buffer.alloc(2 * BLOCK_BYTES)

/** The header of a file that only its owner may read. */
export function writeTarHeader(name: string, size: number, atMs: number): Buffer {
  if (Buffer.byteLength(name) >= NAME_BYTES)
    throw new InvariantError(`the name ${name} is too long for an archive`)
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 'utf8')
  writeOctal(header, field.mode, 0o600)
  writeOctal(header, field.owner, 0)
  writeOctal(header, field.group, 0)
  writeSize(header, size)
  writeOctal(header, field.time, unixSeconds(atMs))
  header.write('0', field.type[0])
  header.write('ustar\x0000', field.magic[0], 'latin1')
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, field.checksum[0], 'latin1')
  return header
}

/** The padding bytes that fill the last block of a file. */
export function writeTarPadding(size: number): Buffer {
  return Buffer.alloc(paddingOf(size))
}

/** Reads the files of an archive. Read each file's bytes to their end before asking for the next file. */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile, void, undefined> {
  const source = new ByteSource(bytes)
  for (;;) {
    const header = await source.read(BLOCK_BYTES)
    if (header.every((byte) => byte === 0)) return source.skipRest()
    const { name, size } = readHeader(header)
    let left = size
    async function* read() {
      while (left > 0) {
        const chunk = await source.readSome(left)
        left -= chunk.length
        yield chunk
      }
    }
    yield { name, size, bytes: read() }
    if (left > 0) throw new InvariantError('a file of the archive was not read to its end')
    await source.read(paddingOf(size))
  }
}

function readHeader(header: Buffer): { readonly name: string; readonly size: number } {
  const stated = Number.parseInt(readText(header, field.checksum), 8)
  if (stated !== sumOf(header)) throw new DamagedBackupError('it is no tar archive, or it is damaged')
  const type = readText(header, field.type)
  if (type !== '0' && type !== '') throw new DamagedBackupError('it holds something else than plain files')
  const name = readText(header, [0, NAME_BYTES])
  const size = readSize(header)
  if (!Number.isSafeInteger(size) || size < 0)
    throw new DamagedBackupError(`the size of ${JSON.stringify(name)} is damaged`)
  return { name, size }
}

/** The sum of the header's bytes, with the checksum field itself read as blanks. */
function sumOf(header: Buffer): number {
  const [begin, length] = field.checksum
  return header.reduce((sum, byte, at) => sum + (at >= begin && at < begin + length ? 0x20 : byte), 0)
}

function writeOctal(header: Buffer, [begin, length]: readonly [number, number], value: number): void {
  header.write(value.toString(8).padStart(length - 1, '0'), begin, 'latin1')
}

function writeSize(header: Buffer, size: number): void {
  if (size <= MAX_OCTAL_BYTES) {
    writeOctal(header, field.size, size)
    return
  }
  const [begin, length] = field.size
  header[begin] = 0x80
  header.writeBigUInt64BE(BigInt(size), begin + length - 8)
}

function readSize(header: Buffer): number {
  const [begin, length] = field.size
  if ((header[begin] ?? 0) === 0x80) return Number(header.readBigUInt64BE(begin + length - 8))
  return Number.parseInt(readText(header, field.size), 8)
}

function readText(header: Buffer, [begin, length]: readonly [number, number]): string {
  const [text = ''] = header.toString('utf8', begin, begin + length).split('\0', 1)
  return text.trim()
}

function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES
}

/** Reads pieces of the requested sizes from an input of pieces of any size. */
class ByteSource {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#pieces = bytes[Symbol.asyncIterator]()
  }

  /** Reads at least one byte, at most `maxBytes`. */
  async readSome(maxBytes: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#pieces.next()
      if (done === true) throw new DamagedBackupError('it is cut off')
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const some = this.#rest.subarray(0, maxBytes)
    this.#rest = this.#rest.subarray(some.length)
    return some
  }

  /** Reads the input to its end, where its maker frees what it holds. */
  async skipRest(): Promise<void> {
    while ((await this.#pieces.next()).done !== true);
  }

  async read(length: number): Promise<Buffer> {
    const whole = Buffer.alloc(length)
    for (let filled = 0; filled < length; ) {
      const some = await this.readSome(length - filled)
      some.copy(whole, filled)
      filled += some.length
    }
    return whole
  }
}
