import { brotliCompressSync, constants, crc32, deflateRawSync } from 'node:zlib'
import type { BodyEncoding } from '../script/fault-schema.ts'
import { type AnswerPart, type FaultAnswer, withParts } from './fault-answer.ts'

/** The header of one gzip file: deflate, no flags, no time, unknown system (RFC 1952). */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** Deflate with a window of 32 KB, default level (RFC 1950). */
const zlibHead = Buffer.from([0x78, 0x9c])
const BOMB_BLOCK_BYTES = 1024 * 1024
const ADLER_MODULUS = 65_521

/**
 * The body compressed, and the header that says so. Gzip and deflate are flushed after each part, so that places in
 * the answer stay where they were; Brotli is one block at the end.
 */
export function encodeBody(answer: FaultAnswer, encoding: BodyEncoding): FaultAnswer {
  const { by, bomb, declared = true } = encoding
  const plain = bomb === undefined ? answer.parts : writeBomb(answer.parts, bomb)
  const parts = by === 'br' ? [joinBrotli(plain)] : flushEach(plain, by)
  const headers = declared ? [...answer.headers, ['content-encoding', by] as const] : answer.headers
  return withParts({ ...answer, headers }, parts)
}

function writeBomb(parts: readonly AnswerPart[], bytes: number): readonly AnswerPart[] {
  const block = Buffer.alloc(BOMB_BLOCK_BYTES, ' ')
  const count = Math.ceil(bytes / BOMB_BLOCK_BYTES)
  const blank: AnswerPart = { bytes: block, kind: 'inserted', words: 0 }
  return [...Array.from({ length: count }, () => blank), ...parts]
}

/** Raw deflate blocks that end at a byte may follow each other, since none looks back into another. */
function flushEach(parts: readonly AnswerPart[], by: 'gzip' | 'deflate'): readonly AnswerPart[] {
  const known = new Map<Buffer, Buffer>()
  const compressed = parts.map((part) => {
    const bytes = known.get(part.bytes) ?? compressPart(part.bytes)
    known.set(part.bytes, bytes)
    return { ...part, bytes }
  })
  const plain = parts.map(({ bytes }) => bytes)
  const tail = Buffer.concat([
    deflateRawSync(Buffer.alloc(0)),
    by === 'gzip' ? gzipTail(plain) : zlibTail(plain),
  ])
  const [first, ...rest] = [...compressed, { bytes: tail, kind: 'terminator', words: 0 } as const]
  const head = by === 'gzip' ? gzipHead : zlibHead
  return [{ ...first, bytes: Buffer.concat([head, first.bytes]) }, ...rest]
}

function compressPart(bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })
}

function gzipTail(chunks: readonly Buffer[]): Buffer {
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(
    chunks.reduce((sum, chunk) => crc32(chunk, sum), 0),
    0,
  )
  tail.writeUInt32LE(chunks.reduce((sum, chunk) => sum + chunk.length, 0) % 2 ** 32, 4)
  return tail
}

function zlibTail(chunks: readonly Buffer[]): Buffer {
  let low = 1
  let high = 0
  for (const chunk of chunks) {
    for (const byte of chunk) {
      low = (low + byte) % ADLER_MODULUS
      high = (high + low) % ADLER_MODULUS
    }
  }
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(high * 65_536 + low)
  return tail
}

function joinBrotli(parts: readonly AnswerPart[]): AnswerPart {
  const bytes = brotliCompressSync(Buffer.concat(parts.map((part) => part.bytes)))
  return { bytes, kind: 'content', words: parts.reduce((sum, { words }) => sum + words, 0) }
}
